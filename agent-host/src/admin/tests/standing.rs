//! Answers that come at the same time, and what stands of an answer, over a real socket.

use super::answers::{answered, says, us, waits};
use super::*;
use agent_core::request::{Channel, Decider, Decision, Strength};
use agent_engine::session::Cell;

async fn activate(front: &Front, session: &Arc<Cell>) -> Reply {
    front.call(session, "activate_tools", json!({"tools": [NOW]}).as_object().cloned().unwrap()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn auth_5_of_two_operators_one_decides_and_the_other_is_told() {
    let words = [(Decision::Approve, Decision::Deny), (Decision::Deny, Decision::Always), (Decision::Once, Decision::Approve)];
    for (one, two) in words.iter().cycle().take(24).cloned() {
        let state = tempfile::tempdir().unwrap();
        let (_front, desk, session) = engine(Verdict::Prompt).await;
        let _listener = open(state.path(), desk).unwrap();
        let question = waits(&session);
        let (first, second) = (says(&question, one.clone(), None), says(&question, two.clone(), None));
        let folder = state.path().to_owned();
        let other = tokio::spawn(async move { answered(&folder, &second).await });
        let told = [answered(state.path(), &first).await, other.await.unwrap()];
        let late: Vec<_> = told.iter().enumerate().filter(|(_, told)| matches!(told, Answered::Before { .. })).collect();
        let [(loser, Answered::Before { decision, by, ended: Some(_) })] = late[..] else { unreachable!("{told:?}") };
        assert_eq!(*decision, [one, two][1 - loser], "{told:?}");
        let expect = Decider::Person { name: format!("local:{}", us()), channel: Channel::Socket, strength: Strength::Weak };
        assert_eq!(*by, expect);
        assert_eq!(session.state().active.is_empty(), *decision == Decision::Deny);
        assert_eq!(session.state().denied.len(), usize::from(*decision == Decision::Deny));
    }
}

#[tokio::test]
async fn pol_4_what_stands_is_listed_and_taken_back_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    let line = serde_json::to_value(says(&question, Decision::Always, None)).unwrap();
    assert_eq!(line["answer"], json!({"decision": "always"}));
    let always = answered(state.path(), &says(&question, Decision::Always, None)).await;
    assert_eq!(always, Answered::Always { set: 1, added: 1, stands: true });
    let listed = || async { ask(state.path(), &Request::Standing {}).await.unwrap() };
    let Response::Standing { approvals } = listed().await else { unreachable!() };
    let [Stands { principal, tool, given }] = &approvals[..] else { unreachable!("{approvals:?}") };
    assert_eq!((principal, tool.as_str(), given.digest), (&question.asker.principal, NOW, question.what[0].bound.digest));
    let second = front.open(principal.clone(), None, false).await.unwrap().session;
    assert!(matches!(activate(&front, &second).await, Reply::Done { .. }));

    let withdraw = |tool: Option<&str>| Request::WithdrawStanding {
        principal: principal.clone(),
        tool: tool.map(|tool| ToolId::parse(tool).unwrap()),
    };
    let other = ask(state.path(), &withdraw(Some("mcp:time/then"))).await.unwrap();
    assert_eq!(other, Response::StandingWithdrawn { tools: Vec::new(), recorded: true });
    let gone = ask(state.path(), &withdraw(None)).await.unwrap();
    assert_eq!(gone, Response::StandingWithdrawn { tools: vec![tool.clone()], recorded: true });
    assert_eq!(listed().await, Response::Standing { approvals: Vec::new() });
    assert!(matches!(front.call(&second, "time__now", serde_json::Map::new()).await, Reply::Ran(_)), "what is held is left");
    let third = front.open(principal.clone(), None, false).await.unwrap().session;
    assert!(matches!(activate(&front, &third).await, Reply::Waiting(_)));
}

#[tokio::test]
async fn auth_6_one_no_of_several_is_cleared_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    answered(state.path(), &says(&question, Decision::Deny, None)).await;
    let clear = |tool: &str| Request::ClearDenials { principal: question.asker.principal.clone(), tool: ToolId::parse(tool).ok() };
    assert_eq!(ask(state.path(), &clear("mcp:time/then")).await.unwrap(), Response::Cleared);
    assert!(matches!(activate(&front, &session).await, Reply::Refused { .. }));
    assert_eq!(ask(state.path(), &clear(NOW)).await.unwrap(), Response::Cleared);
    assert!(matches!(activate(&front, &session).await, Reply::Waiting(_)));
}

#[tokio::test]
async fn auth_4_pol_4_what_stands_of_others_is_not_there() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine(Verdict::Prompt).await;
    let office = Office::new(state.path(), desk, Users::started_by_client());
    let operator = |role, of: &str| {
        let over = Over::Only([PrincipalId::parse(of).unwrap()].into());
        Operator { name: "ada".to_owned(), role, over, channel: Channel::Code, strength: Strength::Strong }
    };
    let (theirs, others) = (operator(Role::Approver, "local:7"), operator(Role::Approver, "bob"));
    let question = waits(&session);
    let done = handle(&office, &theirs, says(&question, Decision::Always, None)).await;
    assert!(matches!(done, Response::Answered { answered: Answered::Always { stands: true, .. } }), "{done:?}");
    let withdraw = || Request::WithdrawStanding { principal: question.asker.principal.clone(), tool: None };
    assert_eq!(handle(&office, &others, Request::Standing {}).await, Response::Standing { approvals: Vec::new() });
    assert!(matches!(handle(&office, &others, withdraw()).await, Response::Failed { .. }));
    let late = handle(&office, &others, says(&question, Decision::Approve, None)).await;
    assert_eq!(late, Response::Answered { answered: Answered::Void { waits: false, ended: None } }, "nor who decided");
    let viewer = operator(Role::Viewer, "local:7");
    let Response::Standing { approvals } = handle(&office, &viewer, Request::Standing {}).await else { unreachable!() };
    assert_eq!(approvals.len(), 1);
    assert!(matches!(handle(&office, &viewer, withdraw()).await, Response::Failed { .. }));
    assert!(matches!(handle(&office, &theirs, withdraw()).await, Response::StandingWithdrawn { recorded: true, .. }));
}
