//! The attacks on the console, by their numbers in `spec/attacks.md`.

use super::stage::{Browser, Stage, WORD, filled};
use agent_core::request::Question;
use agent_core::session::PrincipalId;
use agent_engine::token::Wanted;

fn fields(question: &Question) -> [(&'static str, String); 4] {
    [
        ("session", question.asker.session.to_string()),
        ("request", question.id.to_string()),
        ("shown", question.digest().to_string()),
        ("decision", "approve".to_owned()),
    ]
}

fn refs<'a>(fields: &'a [(&'static str, String)], csrf: &'a str) -> Vec<(&'a str, &'a str)> {
    fields.iter().map(|(name, value)| (*name, value.as_str())).chain([("csrf", csrf)]).collect()
}

#[tokio::test]
async fn attack_26_a_clients_token_opens_nothing() {
    let stage = Stage::with_owner().await;
    let (session, question) = stage.asks("local:7").await;
    let wanted = Wanted { principal: PrincipalId::parse("local:7").unwrap(), profile: None, lasts: None, url: true, note: None };
    let token = stage.desk.create_token(wanted, "test").await.unwrap().1.reveal();
    let browser = stage.browser();
    let fields = fields(&question);
    let as_cookie = Browser { cookie: Some(format!("agent-host={token}")), ..stage.browser() };
    for browser in [browser, as_cookie] {
        let answer = browser.post("/do/answer", &refs(&fields, &token)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(answer.status(), 403);
        assert_eq!(browser.get("/approvals").bearer_auth(&token).send().await.unwrap().status(), 303);
    }
    assert!(!stage.runs(&session).await);
}

#[tokio::test]
async fn attack_27_another_site_decides_nothing_in_the_operators_browser() {
    let stage = Stage::with_owner().await;
    let (session, question) = stage.asks("local:7").await;
    let browser = stage.owner().await;
    let (fields, csrf) = (fields(&question), browser.csrf().await);
    let send = async |request: reqwest::RequestBuilder| request.send().await.unwrap().status().as_u16();
    let post = || browser.bare("/do/answer", &refs(&fields, &csrf));
    // Even with the right token: where it comes from must be said, and be here.
    assert_eq!(send(post()).await, 403);
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
    ] {
        assert_eq!(send(post().header(name, value)).await, 403, "{name}: {value}");
    }
    assert_eq!(send(post().header("origin", &browser.origin).header("sec-fetch-site", "cross-site")).await, 403);
    // And even from here: with the token of this login.
    let other = stage.owner().await.csrf().await;
    for token in ["", "0", other.as_str()] {
        assert_eq!(send(browser.post("/do/answer", &refs(&fields, token))).await, 403, "{token}");
    }
    // A link changes nothing.
    for path in ["/do/answer", "/do/stop", "/logout"] {
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(refs(&fields, &csrf)).finish();
        assert_eq!(browser.page(&format!("{path}?{query}")).await.0, 404, "{path}");
    }
    assert!(!stage.runs(&session).await && stage.desk.stopped().is_none() && browser.page("/").await.0 == 200);
    // What a browser of ours sends is taken, whichever of the two it says.
    assert_eq!(send(post().header("origin", &browser.origin)).await, 303);
    assert!(stage.runs(&session).await);
}

#[tokio::test]
async fn attack_28_and_31_every_answer_forbids_frames_foreign_content_and_keeping() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let nobody = stage.browser();
    let outside = reqwest::get(format!("{}/x", browser.origin)).await.unwrap();
    let mut answers = vec![outside, nobody.post("/login", &[("passphrase", "wrong horse")]).send().await.unwrap()];
    for path in ["/", "/login", "/approvals", "/style.css", "/script.js", "/nowhere", "/live", "/sessions/s_1"] {
        answers.push(browser.get(path).send().await.unwrap());
        answers.push(nobody.get(path).send().await.unwrap());
    }
    answers.push(browser.bare("/do/stop", &[]).send().await.unwrap());
    for answer in answers {
        let (url, header) = (answer.url().clone(), |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap()));
        let policy = header("content-security-policy").unwrap_or_else(|| panic!("{url}"));
        assert!(
            policy.starts_with("default-src 'none'; ") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
            "{url}"
        );
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(header(name), Some(value), "{url}");
        }
    }
}

#[tokio::test]
async fn attack_29_a_link_to_a_request_shows_and_decides_nothing_by_itself() {
    let stage = Stage::new(
        "[operators.ada]\nrole = \"approver\"\nprincipals = [\"alice\"]\n[operators.eve]\nrole = \"approver\"\nprincipals = [\"bob\"]\n",
    )
    .await;
    stage.set("ada", "word of ada");
    stage.set("eve", "word of eve");
    let (session, question) = stage.asks("alice").await;
    let link = format!("/approvals/{}", question.id);
    let response = stage.browser().get(&link).send().await.unwrap();
    let body = response.text().await.unwrap();
    assert!(!body.contains("alice") && !body.contains("mcp:time"), "{body}");
    let (mut ada, mut eve) = (stage.browser(), stage.browser());
    eve.log_in(&[("name", "eve"), ("passphrase", "word of eve")]).await;
    ada.log_in(&[("name", "ada"), ("passphrase", "word of ada")]).await;
    let (status, page) = eve.page(&link).await;
    assert!(status == 404 && !page.contains("alice"), "{page}");
    eve.answer(&question, "approve").await;
    assert!(!stage.runs(&session).await);
    let (status, page) = ada.page(&link).await;
    assert!(status == 200 && page.contains("alice") && page.contains(&session.asker().session.to_string()), "{page}");
    ada.answer(&question, "approve").await;
    assert!(stage.runs(&session).await);
}

#[tokio::test]
async fn attack_35_what_lies_outside_the_path_is_all_the_same_nothing() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let mut answers = Vec::new();
    for path in ["/", "/login", "/approvals", "/c", "/c/", "/c/00000000000000000000000000000000/", "/style.css", "/do/stop", "/x"] {
        let url = format!("{}{path}", browser.origin);
        for request in [browser.http.get(&url), browser.http.post(&url).header("origin", &browser.origin)] {
            let answer = request.header("cookie", browser.cookie.as_ref().unwrap()).send().await.unwrap();
            let mut headers: Vec<_> = answer.headers().iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
            headers.retain(|line| !line.starts_with("date"));
            headers.sort();
            answers.push((answer.status().as_u16(), headers, answer.text().await.unwrap()));
        }
    }
    answers.dedup();
    assert!(answers.len() == 1 && answers[0].0 == 404, "{answers:?}");
}

#[tokio::test]
async fn attack_57_every_route_of_the_console_checks_for_whom_it_is() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let port = browser.origin.rsplit(':').next().unwrap().to_owned();
    let csrf = browser.csrf().await;
    for path in ["/", "/login", "/live", "/style.css", "/approvals", "/nowhere"] {
        for (name, value) in [
            ("host", "evil.example"),
            ("host", &format!("127.0.0.1.evil.example:{port}")),
            ("host", "localhost:1"),
            ("origin", "http://evil.example"),
            ("origin", "null"),
        ] {
            assert_eq!(browser.get(path).header(name, value).send().await.unwrap().status(), 403, "{path} {name}: {value}");
        }
    }
    for value in ["evil.example", "localhost:1"] {
        let stop = browser.post("/do/stop", &[("csrf", &csrf)]).header("host", value);
        assert_eq!(stop.send().await.unwrap().status(), 403, "{value}");
    }
    assert!(stage.desk.stopped().is_none());
    assert_eq!(browser.get("/").header("host", format!("localhost:{port}")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn attack_59_no_console_is_served_in_the_clear_to_other_machines() {
    use crate::admin::{Office, Users};
    let stage = Stage::with_owner().await;
    let office = Office::new(stage.state.path(), stage.desk.clone(), Users::started_by_client());
    let open = |at: &str| super::super::Console::open(at.parse().unwrap(), stage.state.path(), office.clone(), stage.config.subscribe());
    for at in ["0.0.0.0:0", "[::]:0"] {
        let refused = open(at).await.err().unwrap();
        assert!(matches!(refused, crate::web::NoEndpoint::Clear(_)) && refused.hint("console").contains("[console.tls]"), "{at}");
    }
    stage.config.send_replace(std::sync::Arc::new(super::stage::parse("[console]\nproxy = true\nhosts = [\"console.example.com\"]\n")));
    let console = open("0.0.0.0:0").await.unwrap();
    assert_eq!(console.url(), "https://console.example.com/");
    let port = console.house.at().port();
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let log_in = filled(http.post(format!("http://127.0.0.1:{port}/login")), &[("passphrase", WORD)]);
    let answer = log_in.header("host", "console.example.com").header("origin", "https://console.example.com").send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-agent-host=") && cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
}
