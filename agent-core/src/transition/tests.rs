#![allow(clippy::unwrap_used)]
use super::*;

const NOW: Instant = Instant { wall: 1_000_000, boot: 1_000, boot_id: 1 };

fn chain() -> Vec<Record> {
    let session = Stream::Session(SessionId::new(1));
    let steps = [
        (Stream::Host, Version(1), Transition::Stopped { by: "o".into(), since: None }),
        (session.clone(), Version(0), Transition::Searched { hits: 2, count: 1 }),
        (session, Version(1), Transition::Closed { by: "o".into() }),
    ];
    let mut prev = Record::genesis();
    let link = |(place, (stream, version, what)): (usize, _)| {
        let record = Record::link(place as u64 + 1, stream, version, NOW, what, prev);
        prev = record.hash;
        record
    };
    steps.into_iter().enumerate().map(link).collect()
}

fn token() -> Arc<TokenRecord> {
    Arc::new(TokenRecord {
        id: TokenId::new(1),
        principal: PrincipalId::parse("ada").unwrap(),
        profile: None,
        digest: Digest::of(Domain::Token, b"x"),
        url: false,
        note: None,
        made: NOW,
        until: None,
    })
}

/// The first place at which a chain is broken.
fn broken(chain: &[Record]) -> Option<usize> {
    let mut last = (0, Record::genesis());
    chain.iter().position(|record| {
        let follows = record.follows(last.0, &last.1);
        last = (record.seq, record.hash);
        !follows
    })
}

#[test]
fn aud_2_a_chain_as_written_holds_also_read_back() {
    assert_eq!(broken(&chain()), None);
    let text = serde_json::to_string(&chain()).unwrap();
    assert_eq!(broken(&serde_json::from_str::<Vec<Record>>(&text).unwrap()), None);
}

#[test]
fn aud_2_any_change_of_a_record_is_found() {
    let other = Digest::of(Domain::Record, b"other");
    let changes: [fn(&mut Record, Digest); 7] = [
        |record, _| record.seq = 9,
        |record, _| record.stream = Stream::Host,
        |record, _| record.version = Version(7),
        |record, _| record.at.wall += 1,
        |record, _| record.what = Transition::Searched { hits: 3, count: 1 },
        |record, other| record.prev = other,
        |record, other| record.hash = other,
    ];
    for (place, change) in changes.into_iter().enumerate() {
        let mut chain = chain();
        chain.get_mut(1).map(|record| change(record, other)).unwrap();
        assert_eq!(broken(&chain), Some(1), "change {place}");
    }
}

#[test]
fn aud_2_lost_added_and_moved_records_are_found() {
    let whole = chain();
    let of = |places: &[usize]| places.iter().filter_map(|place| whole.get(*place).cloned()).collect::<Vec<_>>();
    assert_eq!(broken(&of(&[0, 2])), Some(1));
    assert_eq!(broken(&of(&[1, 2])), Some(0));
    assert_eq!(broken(&of(&[0, 1, 1, 2])), Some(2));
    assert_eq!(broken(&of(&[0, 2, 1])), Some(1));
}

#[test]
fn aud_2_a_rewritten_record_breaks_the_next_one() {
    let mut chain = chain();
    let mut record = chain.get(1).cloned().unwrap();
    record = Record::link(record.seq, record.stream, record.version, record.at, Transition::Searched { hits: 9, count: 1 }, record.prev);
    assert!(record.follows(1, &record.prev));
    chain.splice(1..2, [record]);
    assert_eq!(broken(&chain), Some(2));
}

#[test]
fn aud_1_what_narrows_advances_and_starts_and_notes_do_not() {
    let call = CallId::new(1);
    let request = RequestId::new(1);
    let digest = Digest::of(Domain::Arguments, b"{}");
    let bound = Bound { id: ToolId::parse("mcp:s/t").unwrap(), digest };
    for what in [
        Transition::Starting { call, bound, request, arguments: digest },
        Transition::Ended { call, end: End::Ok },
        Transition::Searched { hits: 0, count: 1 },
        Transition::Relayed { server: Alias::parse("s").unwrap(), method: "resources/read".into(), about: "x".into() },
        Transition::Refused { code: "not-active".into(), about: "x".into(), count: 1 },
    ] {
        assert!(!what.advances() && !what.narrows(), "{what:?}");
    }
    for what in [
        Transition::Stopped { by: "o".into(), since: None },
        Transition::Revoked { ids: Vec::new(), by: "o".into() },
        Transition::TokenRevoked { id: TokenId::new(1), by: "o".into() },
        Transition::StandingRevoked { tool: None, by: "o".into() },
        Transition::Suspended { ids: Vec::new() },
        Transition::Withdrawn { request, why: Withdrawal::Expired },
        Transition::InquiryWithdrawn { index: 1, why: Withdrawal::Expired },
    ] {
        assert!(what.advances() && what.narrows(), "{what:?}");
    }
    for what in [
        Transition::Resumed { by: "o".into() },
        Transition::Pinned { bounds: Vec::new() },
        Transition::Granted { request, grants: Vec::new() },
        Transition::Unsuspended { ids: Vec::new() },
        Transition::DenialsCleared { tool: None, by: "o".into() },
        Transition::StandingMade { bounds: Vec::new(), by: Decider::Policy { policy: digest } },
        Transition::TokenMade { token: token(), by: "o".into() },
    ] {
        assert!(what.advances() && !what.narrows(), "{what:?}");
    }
}

#[test]
fn streams_read_only_what_they_write() {
    for text in ["host", "principal:local:1000", "session:s_000000000000000000000000000000ff"] {
        assert_eq!(Stream::try_from(text.to_owned()).unwrap().to_string(), text);
    }
    for text in ["", "Host", "host:", "principal:", "session:1", "session:S_000000000000000000000000000000ff", "other:x"] {
        assert!(Stream::try_from(text.to_owned()).is_err(), "{text}");
    }
}
