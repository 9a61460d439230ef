//! How somebody gets in, and how that ends.

use super::stage::{Stage, WORD};

#[tokio::test]
async fn auth_4_without_a_passphrase_nobody_gets_in_and_the_page_says_how() {
    let stage = Stage::new("").await;
    let mut browser = stage.browser();
    let (status, page) = browser.page("/login").await;
    assert!(status == 200 && page.contains("agent-host passphrase set") && !page.contains("<form"), "{page}");
    for word in ["", "short", WORD] {
        assert_eq!(browser.log_in(&[("passphrase", word)]).await.status(), 403, "{word}");
    }
    assert!(browser.cookie.is_none());
    let response = browser.get("/approvals").send().await.unwrap();
    assert!(response.status() == 303 && response.headers()["location"].to_str().unwrap().ends_with("/login?to=%2Fapprovals"));
}

#[tokio::test]
async fn auth_4_a_login_leads_on_to_the_page_that_was_asked_for() {
    let stage = Stage::with_owner().await;
    let mut browser = stage.browser();
    let response = browser.log_in(&[("passphrase", WORD), ("to", "/approvals/r_1")]).await;
    let location = response.headers()["location"].to_str().unwrap();
    assert_eq!(format!("{}{location}", browser.origin), format!("{}/approvals/r_1", browser.base));
    let asked = stage.browser().get("/sessions?q=ada&from=2").send().await.unwrap();
    assert!(asked.headers()["location"].to_str().unwrap().ends_with("/login?to=%2Fsessions%3Fq%3Dada%26from%3D2"), "{asked:?}");
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    let path = browser.base.trim_start_matches(&browser.origin);
    assert!(cookie.ends_with(&format!("; Path={path}; HttpOnly; SameSite=Strict")) && path.len() == 35, "{cookie}");
    for away in ["//evil.example", "https://evil.example/", "/\\evil.example"] {
        let response = stage.browser().log_in(&[("passphrase", WORD), ("to", away)]).await;
        assert_eq!(
            format!("{}{}", browser.origin, response.headers()["location"].to_str().unwrap()),
            format!("{}/", browser.base),
            "{away}"
        );
    }
}

#[tokio::test]
async fn auth_4_wrong_tries_are_told_to_wait_and_a_name_is_not_told_from_nobodys() {
    let stage =
        Stage::new("[operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\n[operators.eve]\nrole = \"viewer\"\nprincipals = \"*\"\n").await;
    stage.set("ada", WORD);
    let mut browser = stage.browser();
    let (_, page) = browser.page("/login").await;
    assert!(page.contains("name=\"name\"") && !page.contains("ada"), "{page}");
    let mut told = Vec::new();
    for name in ["ada", "eve", "nobody"] {
        let response = browser.log_in(&[("name", name), ("passphrase", "wrong horse")]).await;
        assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (403, "1"), "{name}");
        told.push(response.text().await.unwrap());
    }
    assert!(told[0] == told[1] && told[1] == told[2], "{told:?}");
    // Nor by a second try: each name waits by itself, and another that is nobody's does not.
    for name in ["ada", "eve", "nobody"] {
        let response = browser.log_in(&[("name", name), ("passphrase", "wrong horse")]).await;
        assert_eq!(response.status(), 403, "{name}");
    }
    let again = browser.log_in(&[("name", "another"), ("passphrase", "wrong horse")]).await;
    assert_eq!(again.text().await.unwrap(), told[0]);
}

#[tokio::test]
async fn auth_4_a_login_ends_with_time_with_its_passphrase_and_with_its_operator() {
    let one = "[operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\n";
    let stage = Stage::new(one).await;
    stage.set("ada", WORD);
    let mut browser = stage.browser();
    browser.log_in(&[("passphrase", WORD)]).await;
    assert_eq!(browser.page("/").await.0, 200);
    stage.clock.advance(30 * 60 * 1000);
    assert_eq!(browser.page("/").await.0, 303, "half an hour without use");
    browser.log_in(&[("passphrase", WORD)]).await;
    assert_eq!(browser.page("/").await.0, 200);
    stage.set("ada", "another horse");
    assert_eq!(browser.page("/").await.0, 303, "another passphrase");
    browser.log_in(&[("passphrase", "another horse")]).await;
    assert_eq!(browser.page("/").await.0, 200);
    stage.config.send_replace(std::sync::Arc::new(super::stage::parse("[operators.eve]\nrole = \"admin\"\nprincipals = \"*\"\n")));
    assert_eq!(browser.page("/").await.0, 303, "no such operator any more");
}

#[tokio::test]
async fn auth_4_logins_are_listed_and_ended() {
    let stage = Stage::with_owner().await;
    let (one, two) = (stage.owner().await, stage.owner().await);
    let (_, page) = one.page("/logins").await;
    assert_eq!(page.matches("End it").count(), 2);
    let csrf = one.csrf().await;
    one.post("/logout", &[("csrf", &csrf), ("login", "others")]).send().await.unwrap();
    assert_eq!((one.page("/").await.0, two.page("/").await.0), (200, 303));
    let gone = one.post("/logout", &[("csrf", &csrf)]).send().await.unwrap();
    assert!(gone.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(one.page("/").await.0, 303);
}

#[tokio::test]
async fn auth_4_a_cookie_is_no_bearer_token_and_a_bearer_token_no_cookie() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let cookie = browser.cookie.as_ref().and_then(|cookie| cookie.split_once('=')).unwrap().1;
    let api = |path: &str| browser.http.post(format!("{}/api/v1/{path}", browser.origin)).header("content-type", "application/json");
    let asks = async |bearer: &str| api("sessions").bearer_auth(bearer).body("{}").send().await.unwrap().status().as_u16();
    assert_eq!((asks(cookie).await, asks(&format!("aho_{cookie}")).await), (401, 401));
    let told = api("login").body(format!("{{\"passphrase\": \"{WORD}\"}}")).send().await.unwrap().text().await.unwrap();
    let bearer = told.split('"').find(|word| word.starts_with("aho_")).unwrap_or_else(|| panic!("{told}"));
    assert_eq!(asks(bearer).await, 200);
    let mut other = stage.browser();
    for value in [bearer, bearer.trim_start_matches("aho_")] {
        other.cookie = Some(format!("agent-host={value}"));
        assert_eq!(other.page("/").await.0, 303);
    }
}

#[tokio::test]
async fn auth_4_what_came_of_a_form_is_told_to_a_person_and_not_to_a_page_that_looks_again() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let csrf = browser.csrf().await;
    browser.post("/do/stop", &[("csrf", &csrf), ("back", "/")]).send().await.unwrap();
    let looks = browser.http.get(format!("{}/", browser.base)).header("cookie", browser.cookie.as_ref().unwrap());
    let again = looks.header("sec-fetch-dest", "empty").send().await.unwrap().text().await.unwrap();
    assert!(again.contains("Log out") && !again.contains("class=\"done\""), "{again}");
    assert!(browser.page("/").await.1.contains("class=\"done\""));
    assert!(!browser.page("/").await.1.contains("class=\"done\""), "once");
}

#[tokio::test]
async fn auth_4_a_browser_is_told_of_the_icon_and_asks_nowhere_else_for_it() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let path = browser.base.trim_start_matches(&browser.origin);
    for page in [stage.browser().page("/login").await.1, browser.page("/").await.1] {
        assert!(page.contains(&format!("rel=\"icon\" href=\"{path}/icon.svg\"")), "{page}");
    }
    let icon = browser.get("/icon.svg").send().await.unwrap();
    assert_eq!((icon.status().as_u16(), icon.headers()["content-type"].to_str().unwrap()), (200, "image/svg+xml"));
}
