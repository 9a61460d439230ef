#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use crate::digest::Domain;
use crate::request::{Channel, Covers, Decider, Strength};
use crate::session::{PrincipalId, SessionId, TokenId};
use crate::token::Token;

const NOW: Instant = Instant { wall: 1_000_000, boot: 1_000, boot_id: 1 };

fn id(name: &str) -> ToolId {
    ToolId::parse(&format!("mcp:s/{name}")).unwrap()
}

fn bound(name: &str) -> Bound {
    Bound { id: id(name), digest: Digest::of(Domain::Definition, name.as_bytes()) }
}

fn by_rule() -> Decider {
    Decider::Policy { policy: Digest::of(Domain::Policy, b"auto") }
}

fn granted(request: u128, names: &[&str]) -> Transition {
    let request = RequestId::new(request);
    let grant = |name: &&str| GrantRecord { bound: bound(name), request, by: by_rule(), end: None, max_calls: Some(2), preset: false };
    Transition::Granted { request, grants: names.iter().map(grant).collect() }
}

fn question(request: u128) -> Box<Question> {
    let asker = Asker { session: SessionId::new(1), principal: PrincipalId::parse("p").unwrap(), profile: None };
    Box::new(Question {
        id: RequestId::new(request),
        asker,
        covers: Covers::Session,
        what: Vec::new(),
        strong: false,
        asked: NOW,
        expires: NOW.after(1),
    })
}

fn fold<S: Fold>(transitions: &[Transition]) -> S {
    let mut state = S::default();
    transitions.iter().for_each(|what| state.apply(NOW, what));
    state
}

fn names(state: &SessionState) -> Vec<&str> {
    state.active.iter().map(|held| held.grant.bound.id.name()).collect()
}

#[test]
fn act_2_a_batch_is_one_advance_and_what_changes_nothing_is_none() {
    let mut state: SessionState = fold(&[granted(1, &["a", "b", "c"])]);
    assert_eq!((state.set, names(&state)), (1, vec!["a", "b", "c"]));
    for what in [
        Transition::Deactivated { ids: vec![id("absent")] },
        Transition::Unsuspended { ids: vec![id("a")] },
        Transition::Searched { hits: 3, count: 1 },
        Transition::Starting { call: CallId::new(1), bound: bound("a"), request: RequestId::new(1), arguments: bound("a").digest },
    ] {
        state.apply(NOW, &what);
        assert_eq!(state.set, 1, "{what:?}");
    }
    state.apply(NOW, &Transition::Revoked { ids: vec![id("a"), id("c")], by: "o".into() });
    assert_eq!((state.set, names(&state)), (2, vec!["b"]));
}

#[test]
fn act_6_activation_appends_and_removal_reorders_nothing() {
    let state: SessionState = fold(&[
        granted(1, &["m", "z"]),
        granted(2, &["a"]),
        Transition::Deactivated { ids: vec![id("z")] },
        granted(3, &["b"]),
        granted(4, &["z"]),
    ]);
    assert_eq!(names(&state), ["m", "a", "b", "z"]);
}

#[test]
fn act_5_a_suspended_tool_comes_back_in_its_place() {
    let away = |why| Transition::Suspended { ids: vec![(id("a"), why)] };
    let mut state: SessionState = fold(&[granted(1, &["a", "b"]), away(Suspended::Away)]);
    assert_eq!(state.held(&id("a")).unwrap().suspended, Some(Suspended::Away));
    assert_eq!(state.set, 2);
    state.apply(NOW, &away(Suspended::Away));
    assert_eq!(state.set, 2);
    state.apply(NOW, &away(Suspended::Drifted));
    state.apply(NOW, &Transition::Unsuspended { ids: vec![id("a")] });
    assert_eq!((state.set, names(&state)), (4, vec!["a", "b"]));
    assert!(state.active.iter().all(|held| held.suspended.is_none()));
}

#[test]
fn act_7_what_was_given_up_can_be_held_again() {
    let mut state: SessionState = fold(&[granted(1, &["a"]), Transition::Deactivated { ids: vec![id("a")] }]);
    assert_eq!(state.former.get(&id("a")), Some(&Gone::Deactivated));
    state.apply(NOW, &granted(2, &["a"]));
    assert!(state.former.is_empty() && state.held(&id("a")).unwrap().grant.request == RequestId::new(2));
}

#[test]
fn gate_2_former_tools_are_remembered_with_how_they_went_and_bounded() {
    let mut state = SessionState::default();
    for at in 0..FORMER + 10 {
        let name = format!("t{at:04}");
        state.apply(NOW, &granted(at as u128, &[&name]));
        state.apply(NOW, &Transition::Expired { ids: vec![id(&name)] });
    }
    assert_eq!(state.former.len(), FORMER);
    assert!(state.former.values().all(|gone| *gone == Gone::Expired));
}

#[test]
fn auth_5_only_the_waiting_request_can_settle() {
    let mut state: SessionState = fold(&[Transition::Requested { question: question(1) }]);
    state.apply(NOW, &Transition::Withdrawn { request: RequestId::new(2), why: Withdrawal::Expired });
    assert!(state.waiting.is_some() && state.settled.is_empty());
    state.apply(NOW, &Transition::Withdrawn { request: RequestId::new(1), why: Withdrawal::Dismissed });
    assert!(state.waiting.is_none() && state.denied.is_empty());
    assert_eq!(state.settlement(RequestId::new(1)), Some(&Settlement::Withdrawn(Withdrawal::Dismissed)));
    for request in 10..60 {
        state.apply(NOW, &Transition::Requested { question: question(request) });
        state.apply(NOW, &granted(request, &["a"]));
    }
    assert_eq!(state.settled.len(), SETTLED);
    assert_eq!(state.settlement(RequestId::new(59)), Some(&Settlement::Active(state.set, 1)));
    assert_eq!(state.settlement(RequestId::new(1)), None);
}

#[test]
fn auth_6_a_no_is_for_one_definition_and_has_an_end() {
    let until = NOW.after(1000);
    let mut state: PrincipalState = fold(&[Transition::Denied { bounds: vec![bound("a")], until }]);
    let other = Bound { id: id("a"), digest: bound("b").digest };
    assert!(state.denies(&bound("a"), NOW) && state.denies(&bound("a"), NOW.after(999)));
    assert!(!state.denies(&other, NOW) && !state.denies(&bound("b"), NOW) && !state.denies(&bound("a"), NOW.after(1000)));
    state.apply(NOW.after(2000), &Transition::Denied { bounds: vec![bound("b")], until: NOW.after(3000) });
    assert!(!state.denied.contains_key(&id("a")) && state.denies(&bound("b"), NOW.after(2000)));
    state.apply(NOW, &Transition::Denied { bounds: vec![bound("c")], until: NOW.after(3000) });
    state.apply(NOW, &Transition::DenialsCleared { tool: Some(id("b")), by: "o".into() });
    assert!(!state.denies(&bound("b"), NOW) && state.denies(&bound("c"), NOW));
    state.apply(NOW, &Transition::DenialsCleared { tool: None, by: "o".into() });
    assert!(!state.denies(&bound("c"), NOW));
}

#[test]
fn pol_4_a_standing_approval_is_of_one_definition_and_a_no_takes_it_back() {
    let by = Decider::Person { name: "ada".into(), channel: Channel::Socket, strength: Strength::Weak };
    let always = |names: &[&str]| Transition::StandingMade { bounds: names.iter().map(|name| bound(name)).collect(), by: by.clone() };
    let mut state: PrincipalState = fold(&[always(&["a", "b", "c"])]);
    let moved = Bound { id: id("a"), digest: bound("b").digest };
    assert_eq!(state.stands(&bound("a")), Some(&StandingApproval { digest: bound("a").digest, by: by.clone(), at: NOW }));
    assert_eq!((state.stands(&moved), state.stands(&bound("d"))), (None, None));
    state.apply(NOW, &Transition::Denied { bounds: vec![moved.clone()], until: NOW.after(9) });
    assert!(state.stands(&bound("a")).is_some(), "a no to another definition");
    state.apply(NOW, &Transition::Denied { bounds: vec![bound("a")], until: NOW.after(9) });
    assert!(state.stands(&bound("a")).is_none() && state.stands(&bound("b")).is_some());
    state.apply(NOW, &Transition::DenialsCleared { tool: None, by: "o".into() });
    assert!(state.stands(&bound("a")).is_none(), "clearing a no brings nothing back");
    state.apply(NOW, &Transition::StandingMade { bounds: vec![moved.clone()], by });
    assert!(state.stands(&moved).is_some() && state.stands(&bound("a")).is_none(), "the last definition alone");
    state.apply(NOW, &Transition::StandingRevoked { tool: Some(id("b")), by: "o".into() });
    assert!(state.stands(&bound("b")).is_none() && state.stands(&bound("c")).is_some());
    state.apply(NOW, &Transition::StandingRevoked { tool: None, by: "o".into() });
    assert!(state.standing.is_empty());
}

#[test]
fn pol_4_a_principals_state_of_before_reads_and_is_written_as_it_was() {
    let until = NOW.after(1000);
    let state: PrincipalState = fold(&[Transition::Denied { bounds: vec![bound("a")], until }]);
    let text = serde_json::to_string(&state).unwrap();
    assert!(!text.contains("standing"), "{text}");
    assert_eq!(serde_json::from_str::<PrincipalState>(&text).unwrap(), state);
    let cleared = r#"{"kind":"denials-cleared","by":"o"}"#;
    let read: Transition = serde_json::from_str(cleared).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), cleared);
}

#[test]
fn auth_6_a_session_remembers_each_no_once() {
    let answered = |request, name| Transition::Answered { request: RequestId::new(request), denied: vec![bound(name)], by: by_rule() };
    let state: SessionState = fold(&[
        Transition::Requested { question: question(1) },
        answered(1, "a"),
        Transition::Requested { question: question(2) },
        answered(2, "a"),
    ]);
    assert_eq!(state.denied, [bound("a")]);
    assert_eq!(state.settlement(RequestId::new(2)), Some(&Settlement::Denied(vec![id("a")])));
}

#[test]
fn gate_6_a_call_that_did_not_start_gives_its_count_back() {
    let starting = |call| Transition::Starting {
        call: CallId::new(call),
        bound: bound("a"),
        request: RequestId::new(1),
        arguments: bound("a").digest,
    };
    let ended = |call, end| Transition::Ended { call: CallId::new(call), end };
    let used = |state: &SessionState| state.held(&id("a")).unwrap().used;
    let mut state: SessionState = fold(&[granted(1, &["a"]), starting(1), starting(1), starting(2)]);
    assert_eq!((used(&state), state.running.len()), (2, 2));
    state.apply(NOW, &ended(1, End::NotStarted));
    state.apply(NOW, &ended(1, End::NotStarted));
    assert_eq!(used(&state), 1);
    state.apply(NOW, &ended(2, End::OutcomeUnknown));
    assert_eq!((used(&state), state.running.len()), (1, 0));
}

#[test]
fn gate_6_an_old_call_gives_nothing_back_to_a_new_grant() {
    let starting =
        Transition::Starting { call: CallId::new(1), bound: bound("a"), request: RequestId::new(1), arguments: bound("a").digest };
    let again = Transition::Starting { call: CallId::new(2), bound: bound("a"), request: RequestId::new(2), arguments: bound("a").digest };
    let mut state: SessionState = fold(&[granted(1, &["a"]), starting, granted(2, &["a"]), again]);
    state.apply(NOW, &Transition::Ended { call: CallId::new(1), end: End::NotStarted });
    assert_eq!(state.held(&id("a")).unwrap().used, 1);
}

#[test]
fn ses_1_an_ended_session_holds_and_gains_nothing() {
    let state: SessionState = fold(&[
        granted(1, &["a"]),
        Transition::Requested { question: question(2) },
        Transition::Closed { by: "o".into() },
        granted(3, &["b"]),
    ]);
    assert!(state.ended && state.active.is_empty() && state.waiting.is_none());
    assert_eq!(state.former.get(&id("a")), Some(&Gone::Ended));
}

#[test]
fn cat_7_the_last_accepted_definition_is_the_pin() {
    let moved = Bound { id: id("a"), digest: bound("b").digest };
    let state: HostState =
        fold(&[Transition::Pinned { bounds: vec![bound("a"), bound("b")] }, Transition::Pinned { bounds: vec![moved.clone()] }]);
    assert_eq!(state.pins.get(&id("a")), Some(&moved.digest));
    assert_eq!(state.pins.get(&id("b")), Some(&bound("b").digest));
}

#[test]
fn rev_4_the_stop_stands_until_it_is_lifted() {
    let mut state: HostState = fold(&[Transition::Stopped { by: "o".into(), since: None }, granted(1, &["a"])]);
    assert_eq!(state.stopped.as_deref(), Some("o"));
    state.apply(NOW, &Transition::Resumed { by: "o".into() });
    assert_eq!(state.stopped, None);
}

#[test]
fn sto_1_a_kept_state_reads_back_and_folds_on() {
    let mut state = State::empty(&Stream::Session(SessionId::new(1)));
    let steps = [
        granted(1, &["a", "b"]),
        Transition::Requested { question: question(2) },
        Transition::Suspended { ids: vec![(id("b"), Suspended::Policy)] },
        Transition::Starting { call: CallId::new(1), bound: bound("a"), request: RequestId::new(1), arguments: bound("a").digest },
        Transition::Revoked { ids: vec![id("a")], by: "o".into() },
        granted(2, &["c"]),
        Transition::Ended { call: CallId::new(1), end: End::Ok },
    ];
    let mut kept = state.clone();
    for what in &steps {
        state.apply(NOW, what);
        kept = serde_json::from_slice(&serde_json::to_vec(&kept).unwrap()).unwrap();
        kept.apply(NOW, &serde_json::from_slice(&serde_json::to_vec(what).unwrap()).unwrap());
        assert_eq!(kept, state, "{what:?}");
    }
    assert!(HostState::take(state.clone()).is_none() && SessionState::take(state).unwrap().set == 4);
}

fn token(number: u128, until: Option<Instant>) -> Arc<TokenRecord> {
    Arc::new(TokenRecord {
        id: TokenId::new(number),
        principal: PrincipalId::parse("p").unwrap(),
        profile: None,
        digest: Token::new(number, number).digest(),
        url: false,
        note: None,
        made: NOW,
        until,
    })
}

#[test]
fn ses_4_tokens_stand_until_they_are_taken_back_or_over() {
    let made = |number, until| Transition::TokenMade { token: token(number, until), by: "o".into() };
    let revoked = |number| Transition::TokenRevoked { id: TokenId::new(number), by: "o".into() };
    let ids = |state: &HostState| {
        let mut ids: Vec<_> = state.tokens.values().map(|token| token.id).collect();
        ids.sort_unstable();
        ids
    };
    let none = serde_json::to_string(&HostState::default()).unwrap();
    assert!(!none.contains("tokens"), "a host without tokens is kept as it was before there were any: {none}");
    let mut state: HostState = fold(&[made(1, None), made(2, Some(NOW.after(1000))), made(3, None), revoked(9)]);
    assert_eq!(ids(&state), [1, 2, 3].map(TokenId::new));
    state.apply(NOW.after(999), &revoked(3));
    assert_eq!(ids(&state), [1, 2].map(TokenId::new));
    assert_eq!(serde_json::from_slice::<HostState>(&serde_json::to_vec(&state).unwrap()).unwrap(), state);
    state.apply(NOW.after(1000), &Transition::Resumed { by: "o".into() });
    assert_eq!(ids(&state), [1, 2].map(TokenId::new));
    state.apply(NOW.after(1000), &made(4, None));
    assert_eq!(ids(&state), [1, 4].map(TokenId::new));
    state.apply(NOW.after(1000), &made(5, Some(NOW.after(2000))));
    state.apply(NOW.after(2000), &revoked(1));
    assert_eq!(ids(&state), [TokenId::new(4)]);
}
