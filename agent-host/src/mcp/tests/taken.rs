//! What a client hears of what an operator takes from it, and what the operator is told of that.

use super::*;
use agent_engine::session::Told;

async fn told(revoked: &agent_engine::revocation::Revoked) -> Told {
    revoked.cell.told(revoked.set, LONG).await
}

#[tokio::test]
async fn rev_2_an_operator_is_told_whether_the_client_was() {
    let stage = stage(Policy::of(Verdict::Auto), None, SHORT).await;
    assert!(!stage.activate().await.0);
    let scope = Scope::Principal(stage.session.asker().principal.clone());
    let revoked = stage.desk.revoke(&scope, "Ada", false).await;
    assert_eq!(told(&revoked[0]).await, Told::Sent);
    assert!(stage.call("time__now", json!({})).await.0);
    assert_eq!(stage.notices(), 2, "one for the yes, one for the revoke");
    let nothing = stage.desk.revoke(&scope, "Ada", false).await;
    assert!(nothing.is_empty());
}

#[tokio::test]
async fn rev_2_a_client_whose_list_never_changes_is_told_nothing() {
    let mut connection = host(Policy::of(Verdict::Auto), SHORT).await;
    connection.surface = Some(config::Surface::Stable);
    let (desk, session, front) = (connection.desk.clone(), connection.session.clone(), connection.front.clone());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let log = Arc::new(Mutex::new(Vec::new()));
    let activate = json!({"tools": [NOW]}).as_object().cloned().unwrap();
    front.call(&session, "activate_tools", activate).await;
    let scope = Scope::Session(session.asker().session);
    let revoked = desk.revoke(&scope, "Ada", false).await;
    assert_eq!(told(&revoked[0]).await, Told::Absent, "nobody is there yet");
    tokio::spawn(serve(connection, tokio::io::split(ours)));
    let client = Person { does: None, links: false, log: log.clone() }.serve(theirs).await.unwrap();
    let activate = json!({"tools": [NOW]}).as_object().cloned().unwrap();
    client.call_tool(CallToolRequestParams::new("activate_tools").with_arguments(activate)).await.unwrap();
    let revoked = desk.revoke(&scope, "Ada", false).await;
    assert_eq!(told(&revoked[0]).await, Told::Unlisted);
    assert!(log.lock().is_empty());
}

#[tokio::test]
async fn rev_1_a_client_whose_session_was_ended_is_told_by_its_next_call() {
    let stage = stage(Policy::of(Verdict::Auto), None, SHORT).await;
    assert!(!stage.activate().await.0);
    let (cell, narrowed) = stage.desk.end(stage.session.asker().session, "Ada").await.unwrap();
    assert_eq!(narrowed.removed, [ToolId::parse(NOW).unwrap()]);
    assert_eq!(cell.told(cell.state().set, LONG).await, Told::Sent);
    for (name, arguments) in [("time__now", json!({})), ("activate_tools", json!({"tools": [NOW]})), ("time__now", json!({}))] {
        let (failed, text) = stage.call(name, arguments).await;
        assert!(failed && text.contains("this session was ended"), "{text}");
    }
    assert_eq!((stage.notices(), stage.names().await.len()), (2, 5));
    assert!(stage.desk.sessions().is_empty());
}
