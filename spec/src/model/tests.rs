#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;

const A: &str = "mcp:s/a";
const B: &str = "mcp:s/b";
const C: &str = "mcp:s/c";
const HOUR: u64 = 3600 * 1000;

fn tools(all: &[(&str, u32)]) -> Op {
    Op::Publish(all.iter().map(|(id, definition)| ((*id).to_owned(), *definition)).collect())
}

fn policy(default: Decision, rules: &[(&str, Decision)]) -> Op {
    let rules = rules.iter().map(|(id, decision)| ((*id).to_owned(), *decision)).collect();
    Op::SetPolicy(Policy { default, rules, ..Policy::default() })
}

fn ask(session: usize, ids: &[&str]) -> Op {
    Op::Request { session, ids: ids.iter().map(|id| (*id).to_owned()).collect(), dropped: false }
}

fn say(answer: Answer) -> Op {
    Op::Answer { session: 0, which: Which::Latest, right: true, answer }
}

fn admit(id: &str) -> Op {
    Op::Admit { session: 0, id: id.to_owned() }
}

fn revoke(id: &str) -> Op {
    Op::Revoke(Scope::One(0, id.to_owned()))
}

const OPEN: Op = Op::Open { principal: 0, profile: false };

/// A session that starts with these, under whatever else the policy is.
fn presets(policy: Policy, ids: &[&str]) -> [Op; 2] {
    let presets = ids.iter().map(|id| (*id).to_owned()).collect();
    [Op::SetPolicy(Policy { presets, ..policy }), Op::Open { principal: 1, profile: true }]
}

/// A model with three tools and one session, and what it shows.
struct Scene {
    model: Model,
    seen: Seen,
}

impl Scene {
    fn new(default: Decision) -> Self {
        let mut model = Model::default();
        model.step(&tools(&[(A, 1), (B, 1), (C, 1)]));
        model.step(&policy(default, &[]));
        let seen = model.step(&OPEN);
        Self { model, seen }
    }

    fn told(&mut self, op: &Op) -> &Told {
        self.seen = self.model.step(op);
        &self.seen.told
    }

    fn refused(&mut self, op: &Op) -> &'static str {
        if let Told::Refused(code) = self.told(op) { code } else { "not refused" }
    }

    /// The set's version and what is held, each with why it is suspended.
    fn set(&self) -> (u64, Vec<(&str, Option<&'static str>)>) {
        let face = &self.seen.sessions[0];
        (face.set, face.active.iter().map(|(id, why)| (id.as_str(), *why)).collect())
    }
}

#[test]
fn act_2_all_or_nothing_with_one_advance() {
    let mut scene = Scene::new(Decision::Auto);
    assert_eq!(*scene.told(&ask(0, &[B, A, B])), Told::Active { added: 2, set: 1 });
    assert_eq!(scene.set(), (1, vec![(B, None), (A, None)]));
    assert_eq!(scene.seen.sessions[0].listed, ["s__b", "s__a"]);
    assert_eq!(*scene.told(&ask(0, &[A])), Told::Active { added: 0, set: 1 });
    assert_eq!(scene.refused(&ask(0, &[C, "mcp:s/A"])), "unknown-ids");
    assert_eq!(scene.set(), (1, vec![(B, None), (A, None)]));
}

#[test]
fn auth_5_one_set_waits_and_what_needs_nobody_goes_on() {
    let mut scene = Scene::new(Decision::Prompt);
    scene.told(&policy(Decision::Prompt, &[(C, Decision::Auto)]));
    assert_eq!(*scene.told(&ask(0, &[A])), Told::Waiting);
    assert_eq!(*scene.told(&ask(0, &[A, A])), Told::Waiting);
    assert_eq!(scene.refused(&ask(0, &[B])), "another-waiting");
    assert_eq!(*scene.told(&ask(0, &[C])), Told::Active { added: 1, set: 1 });
    let wrong = Op::Answer { session: 0, which: Which::Latest, right: false, answer: Answer::Approve };
    assert_eq!(*scene.told(&wrong), Told::Nothing);
    assert_eq!(*scene.told(&say(Answer::Approve)), Told::Active { added: 1, set: 2 });
    assert_eq!(*scene.told(&say(Answer::Approve)), Told::Nothing);
    assert_eq!(*scene.told(&Op::Wait { session: 0 }), Told::Active { added: 1, set: 2 });
}

#[test]
fn auth_6_a_no_is_remembered_for_its_time_and_here_for_good() {
    let mut scene = Scene::new(Decision::Prompt);
    scene.told(&OPEN);
    scene.told(&ask(0, &[A, B]));
    assert_eq!(*scene.told(&say(Answer::DenySome([A.to_owned()].into()))), Told::InEffect(Recorded::Yes));
    assert_eq!(scene.refused(&ask(0, &[A])), "denied-by-person");
    assert_eq!(scene.refused(&ask(1, &[A])), "denied-by-person");
    assert_eq!(*scene.told(&ask(0, &[B])), Told::Waiting);
    assert_eq!((scene.seen.sessions[0].denied.len(), scene.seen.sessions[1].denied.len()), (1, 0));
    scene.told(&tools(&[(A, 2), (B, 1)]));
    assert_eq!(*scene.told(&ask(1, &[A])), Told::Waiting);
    scene.told(&Op::Advance(HOUR));
    scene.told(&tools(&[(A, 1), (B, 1)]));
    scene.told(&Op::Advance(24 * HOUR));
    assert_eq!(scene.refused(&ask(0, &[A])), "denied-by-person");
    assert_eq!(*scene.told(&ask(1, &[A])), Told::Waiting);
}

#[test]
fn i_3_a_yes_to_what_has_changed_grants_nothing() {
    let mut scene = Scene::new(Decision::Prompt);
    scene.told(&ask(0, &[A, B]));
    scene.told(&tools(&[(A, 1), (B, 2)]));
    assert_eq!(*scene.told(&say(Answer::Approve)), Told::Nothing);
    assert_eq!(scene.set(), (0, vec![]));
}

#[test]
fn cat_8_drift_suspends_and_only_the_very_definition_comes_back() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A, B]));
    scene.told(&admit(A));
    scene.told(&tools(&[(A, 2)]));
    assert_eq!(scene.set(), (2, vec![(A, Some("drifted")), (B, Some("away"))]));
    assert_eq!(scene.refused(&Op::Permit(0)), "drifted");
    assert_eq!(scene.refused(&ask(0, &[A])), "unknown-ids");
    scene.told(&tools(&[(A, 1), (B, 1)]));
    assert_eq!(scene.set(), (3, vec![(A, None), (B, None)]));
    scene.told(&tools(&[(A, 2), (B, 1)]));
    scene.told(&Op::Accept(A.to_owned()));
    assert_eq!(scene.set(), (5, vec![(B, None)]));
    assert_eq!(scene.refused(&admit(A)), "replaced");
    scene.told(&tools(&[(A, 1), (B, 1)]));
    assert_eq!(scene.refused(&ask(0, &[A])), "unknown-ids");
}

#[test]
fn pol_2_a_denied_grant_is_suspended_and_a_preset_needs_no_person() {
    let mut scene = Scene::new(Decision::Prompt);
    let rules = [(B.to_owned(), Decision::Deny), (C.to_owned(), Decision::Hide)].into();
    let [put, open] = presets(Policy { rules, ..Policy::default() }, &[A, B, C]);
    scene.told(&put);
    let refused = vec![(B.to_owned(), "denied-by-policy"), (C.to_owned(), "unknown-ids")];
    assert_eq!(*scene.told(&open), Told::Opened(refused));
    scene.told(&policy(Decision::Deny, &[]));
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), Some("suspended-by-policy"))]);
    scene.told(&policy(Decision::Prompt, &[]));
    scene.told(&Op::Advance(13 * HOUR));
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), None)]);
}

#[test]
fn pol_2_what_less_than_a_strong_answer_allowed_is_suspended_where_one_is_demanded() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A]));
    let rules = [(A.to_owned(), Decision::Prompt)].into();
    let strong = Policy { rules, strong: [A.to_owned()].into(), ..Policy::default() };
    scene.told(&Op::SetPolicy(Policy { presets: vec![A.to_owned()], ..strong.clone() }));
    assert_eq!(scene.set(), (2, vec![(A, Some("suspended-by-strength"))]));
    assert_eq!(scene.refused(&admit(A)), "suspended-by-strength");
    assert_eq!(*scene.told(&ask(0, &[A])), Told::Waiting);
    assert_eq!(*scene.told(&say(Answer::Approve)), Told::Active { added: 1, set: 3 });
    assert_eq!((scene.told(&admit(A)).clone(), scene.set()), (Told::Admitted, (3, vec![(A, None)])));
    scene.told(&Op::Open { principal: 1, profile: true });
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), None)], "the operator's list is above every question");
    scene.told(&Op::SetPolicy(strong));
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), Some("suspended-by-strength"))]);
    scene.told(&policy(Decision::Prompt, &[]));
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), None)]);
}

#[test]
fn rev_2_a_revoke_between_admission_and_permit_refuses() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A, B]));
    for id in [A, A, B] {
        assert_eq!(*scene.told(&admit(id)), Told::Admitted);
    }
    assert_eq!(*scene.told(&Op::Permit(0)), Told::Running);
    assert_eq!(*scene.told(&revoke(A)), Told::Taken(vec![(0, vec![A.to_owned()], vec![0])], Recorded::Yes));
    assert_eq!(scene.refused(&Op::Permit(0)), "revoked");
    assert_eq!(*scene.told(&Op::Permit(0)), Told::Running);
    assert_eq!(scene.seen.sessions[0].running, [0, 2]);
    assert_eq!(*scene.told(&revoke(A)), Told::Taken(vec![(0, vec![], vec![0])], Recorded::Yes));
    assert_eq!(scene.set(), (2, vec![(B, None)]));
}

#[test]
fn rev_4_a_stop_survives_a_restart() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A]));
    scene.told(&Op::Stop);
    scene.told(&Op::Restart);
    assert_eq!(scene.refused(&admit(A)), "stopped");
    assert_eq!(scene.refused(&ask(0, &[B])), "stopped");
    scene.told(&Op::Resume);
    assert_eq!(*scene.told(&admit(A)), Told::Admitted);
}

#[test]
fn aud_1_what_widens_is_recorded_or_does_not_happen() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&Op::Commits(Commits::Refuse));
    assert_eq!(scene.refused(&ask(0, &[A])), "not-recorded");
    scene.told(&Op::Commits(Commits::Unknown { written: true }));
    assert_eq!(scene.refused(&ask(0, &[A])), "record-unknown");
    assert_eq!(scene.set(), (0, vec![]));
    scene.told(&Op::Commits(Commits::Work));
    assert_eq!(scene.set(), (0, vec![]));
    assert_eq!(*scene.told(&ask(0, &[A])), Told::Active { added: 0, set: 1 });
    assert_eq!(scene.set(), (1, vec![(A, None)]));
}

#[test]
fn aud_1_what_narrows_happens_and_closes_until_it_is_recorded() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A, B]));
    scene.told(&Op::Commits(Commits::Refuse));
    assert_eq!(*scene.told(&revoke(A)), Told::Taken(vec![(0, vec![A.to_owned()], vec![])], Recorded::No));
    assert_eq!(scene.set(), (2, vec![(B, None)]));
    assert_eq!(scene.refused(&admit(B)), "session-closed");
    assert_eq!(scene.refused(&ask(0, &[C])), "session-closed");
    scene.told(&tools(&[(A, 1), (B, 1)]));
    assert_eq!(scene.set(), (2, vec![(B, None)]));
    scene.told(&Op::Commits(Commits::Work));
    assert_eq!(*scene.told(&admit(B)), Told::Admitted);
    assert_eq!(scene.refused(&admit(A)), "revoked");
    assert_eq!(scene.set(), (2, vec![(B, None)]));
}

#[test]
fn act_4_a_grant_ends_and_a_question_expires() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A]));
    scene.told(&policy(Decision::Prompt, &[]));
    scene.told(&ask(0, &[B]));
    scene.told(&Op::Advance(HOUR));
    assert_eq!(scene.refused(&Op::Wait { session: 0 }), "request-expired");
    scene.told(&Op::Advance(11 * HOUR));
    assert_eq!(scene.refused(&admit(A)), "expired");
    assert_eq!(scene.set(), (2, vec![]));
}

#[test]
fn act_5_a_restart_keeps_the_set_and_withdraws_the_question() {
    let mut scene = Scene::new(Decision::Prompt);
    scene.told(&ask(0, &[A]));
    scene.told(&say(Answer::Approve));
    scene.told(&admit(A));
    scene.told(&Op::Permit(0));
    scene.told(&ask(0, &[B]));
    scene.told(&Op::Restart);
    assert_eq!(scene.set(), (1, vec![(A, None)]));
    assert_eq!((scene.seen.sessions[0].waiting.clone(), scene.seen.sessions[0].running.len()), (None, 0));
    assert_eq!(scene.refused(&Op::Wait { session: 0 }), "withdrawn");
}

#[test]
fn pol_3_a_ceiling_binds_the_profile_and_nobody_else() {
    let mut scene = Scene::new(Decision::Auto);
    let [put, open] = presets(Policy::default(), &[A]);
    scene.told(&put);
    scene.told(&open);
    scene.told(&policy(Decision::Auto, &[]));
    scene.told(&ask(0, &[A]));
    let ceiling = Some([B.to_owned()].into());
    scene.told(&Op::SetPolicy(Policy { default: Decision::Auto, ceiling, ..Policy::default() }));
    assert_eq!(scene.seen.sessions[1].active, [(A.to_owned(), Some("suspended-by-policy"))]);
    assert_eq!(*scene.told(&Op::Search { session: 1 }), Told::Found(vec![B.to_owned()]));
    assert_eq!(scene.refused(&ask(1, &[A])), "unknown-ids");
    assert_eq!(scene.set(), (1, vec![(A, None)]));
}

#[test]
fn act_2_forty_besides_presets() {
    let mut scene = Scene::new(Decision::Auto);
    let ids: Vec<String> = (0..50).map(|at| format!("mcp:s/t{at:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    scene.told(&tools(&ids.iter().map(|id| (*id, 1)).collect::<Vec<_>>()));
    let [put, open] = presets(Policy { default: Decision::Auto, ..Policy::default() }, &ids[48..]);
    scene.told(&put);
    scene.told(&open);
    for range in [0..16, 16..32] {
        assert!(matches!(scene.told(&ask(1, &ids[range])), Told::Active { added: 16, .. }));
    }
    assert_eq!(scene.refused(&ask(1, &ids[31..41])), "too-many-active");
    assert_eq!(*scene.told(&ask(1, &ids[31..40])), Told::Active { added: 8, set: 5 });
    assert_eq!(scene.refused(&ask(1, &ids[40..41])), "too-many-active");
}

#[test]
fn aud_1_what_was_in_effect_and_is_forgotten_stops_everything() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A]));
    scene.told(&Op::Commits(Commits::Refuse));
    scene.told(&revoke(A));
    scene.told(&Op::Restart);
    assert_eq!(scene.set(), (1, vec![(A, None)]));
    assert_eq!(scene.refused(&admit(A)), "stopped");
    assert_eq!(scene.refused(&Op::Resume), "not-recorded");
}

#[test]
fn i_10_a_doubt_closes_until_the_ledger_is_read() {
    let mut scene = Scene::new(Decision::Auto);
    scene.told(&ask(0, &[A]));
    scene.told(&admit(A));
    scene.told(&Op::Commits(Commits::Unknown { written: false }));
    assert_eq!(scene.refused(&ask(0, &[B])), "record-unknown");
    scene.told(&Op::Commits(Commits::Work));
    assert_eq!(scene.seen.sessions[0].listed, Vec::<String>::new());
    assert_eq!(scene.refused(&Op::Permit(0)), "session-closed");
    scene.told(&revoke(A));
    assert_eq!(scene.set(), (2, vec![]));
    assert_eq!(scene.refused(&admit(A)), "revoked");
}

#[test]
fn rev_1_each_scope_takes_what_it_names_and_is_no_rule() {
    for (scope, left) in [
        (Scope::Server("s".to_owned()), vec![]),
        (Scope::Server("t".to_owned()), vec![A, B]),
        (Scope::Principal(0), vec![]),
        (Scope::Principal(1), vec![A, B]),
        (Scope::Everywhere(A.to_owned()), vec![B]),
        (Scope::Session(0), vec![]),
        (Scope::Session(1), vec![A, B]),
    ] {
        let mut scene = Scene::new(Decision::Auto);
        scene.told(&ask(0, &[A, B]));
        scene.told(&Op::Revoke(scope.clone()));
        assert_eq!(scene.set().1.iter().map(|(id, _)| *id).collect::<Vec<_>>(), left, "{scope:?}");
        assert!(matches!(scene.told(&ask(0, &[A, B])), Told::Active { .. }), "{scope:?}");
    }
}

#[test]
fn auth_6_pol_4_once_is_one_call_and_always_stands_until_a_no() {
    let mut scene = Scene::new(Decision::Prompt);
    scene.told(&OPEN);
    scene.told(&ask(0, &[A]));
    assert_eq!(*scene.told(&say(Answer::Once)), Told::Active { added: 1, set: 1 });
    for id in [A, A] {
        scene.told(&admit(id));
    }
    assert_eq!(*scene.told(&Op::Permit(0)), Told::Running);
    assert_eq!(scene.refused(&Op::Permit(0)), "calls-spent");
    assert_eq!(*scene.told(&ask(0, &[A])), Told::Waiting);
    assert_eq!(*scene.told(&say(Answer::Always)), Told::Always { added: 1, set: 2, stands: true });
    assert_eq!(*scene.told(&ask(1, &[A])), Told::Active { added: 1, set: 1 });
    assert_eq!(*scene.told(&ask(1, &[A, B])), Told::Waiting);
    scene.told(&tools(&[(A, 2), (B, 1), (C, 1)]));
    scene.told(&Op::Accept(A.to_owned()));
    scene.told(&OPEN);
    assert_eq!(*scene.told(&ask(2, &[A])), Told::Waiting);
    let forget = Op::Forget { principal: 0, id: Some(A.to_owned()) };
    assert_eq!(*scene.told(&forget), Told::Forgotten(vec![A.to_owned()], Recorded::Yes));
    assert_eq!(*scene.told(&forget), Told::Nothing);
}

#[test]
fn pol_4_always_remembers_nothing_where_a_rule_demands_strength() {
    let mut scene = Scene::new(Decision::Prompt);
    let rules = [(A.to_owned(), Decision::Prompt)].into();
    let strong = Policy { default: Decision::Prompt, rules, strong: [A.to_owned()].into(), ..Policy::default() };
    scene.told(&Op::SetPolicy(strong.clone()));
    scene.told(&ask(0, &[A, B]));
    assert_eq!(*scene.told(&say(Answer::Always)), Told::Always { added: 2, set: 1, stands: false });
    scene.told(&policy(Decision::Prompt, &[]));
    scene.told(&OPEN);
    assert_eq!(*scene.told(&ask(1, &[A])), Told::Waiting);
    assert_eq!(
        *scene.told(&Op::Answer { session: 1, which: Which::Latest, right: true, answer: Answer::Always }),
        Told::Always { added: 1, set: 1, stands: true }
    );
    scene.told(&Op::SetPolicy(strong));
    scene.told(&OPEN);
    assert_eq!(*scene.told(&ask(2, &[A])), Told::Waiting);
}

#[test]
fn pol_1_act_4_a_rule_says_how_long() {
    let mut scene = Scene::new(Decision::Auto);
    let rules = [(A.to_owned(), Decision::Auto)].into();
    scene.told(&Op::SetPolicy(Policy { default: Decision::Auto, rules, ttl: [(A.to_owned(), HOUR)].into(), ..Policy::default() }));
    scene.told(&ask(0, &[A, B]));
    scene.told(&Op::Advance(HOUR - 1));
    assert_eq!(scene.set(), (1, vec![(A, None), (B, None)]));
    scene.told(&Op::Advance(1));
    assert_eq!((scene.refused(&admit(A)), scene.set()), ("expired", (2, vec![(B, None)])));
}
