use super::*;
use agent_core::state::HostState;

const NOW: Instant = Instant { wall: 1, boot: 1, boot_id: 1 };

fn folded() -> Folded<HostState> {
    Folded::new(Stored::empty(&Stream::Host))
}

fn stopped() -> Transition {
    Transition::Stopped { by: "x".into(), since: None }
}

fn resumed() -> Transition {
    Transition::Resumed { by: "y".into() }
}

#[test]
fn i_8_what_could_not_be_recorded_is_offered_to_one_at_a_time() {
    let mut fold = folded();
    let token = fold.narrow(NOW, stopped());
    fold.unrecorded(token);
    assert!(fold.closed() && fold.failed().len() == 1);
    assert!(fold.closed() && fold.failed().is_empty());
    fold.unrecorded(token);
    assert_eq!(fold.failed().len(), 1);
    fold.committed(Version(1), NOW, stopped(), Some(token));
    assert!(!fold.closed() && fold.state().stopped.is_some());
}

#[test]
fn i_7_a_narrowing_stays_in_effect_whatever_is_published_meanwhile() {
    let mut fold = folded();
    let token = fold.narrow(NOW, stopped());
    fold.committed(Version(1), NOW, resumed(), None);
    assert!(fold.state().stopped.is_some());
    fold.committed(Version(2), NOW, stopped(), Some(token));
    assert!(fold.state().stopped.is_some() && fold.version() == Version(2));
    fold.committed(Version(3), NOW, resumed(), None);
    assert!(fold.state().stopped.is_none());
}
