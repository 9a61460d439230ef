//! Every page over hostile words: nothing of them is anything but text.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod stage;

use super::*;
use stage::{Markups, pages};
use std::collections::BTreeSet;

/// What no page may be made of, whatever a server, a model or a person wrote.
fn judge(name: &str, html: &str) {
    const ELEMENTS: &str = "html head meta title link script noscript body a header nav p div b span main h1 h2 form input button \
        article table thead tbody tr th td dl dt dd code pre kbd label select option section ul ol li details summary time q figure \
        figcaption svg line text rect dialog del ins";
    const ATTRIBUTES: &str = "lang charset name content rel href src defer class id aria-label aria-labelledby aria-current role type value \
        method action title tabindex scope hidden disabled checked selected datetime placeholder size maxlength required data-live data-key \
        colspan viewBox x y x1 x2 y1 y2 width height rx text-anchor http-equiv";
    let (elements, attributes): (BTreeSet<_>, BTreeSet<_>) =
        (ELEMENTS.split_whitespace().collect(), ATTRIBUTES.split_whitespace().collect());
    let read = Markups::read(html);
    assert!(read.tags.len() > 10, "{name}");
    for tag in &read.tags {
        assert!(elements.contains(tag.name.as_str()), "{name}: <{}>", tag.name);
        for (attribute, value) in &tag.attributes {
            assert!(attributes.contains(attribute.as_str()), "{name}: {attribute}=`{value}`");
            if matches!(attribute.as_str(), "href" | "src" | "action") {
                assert!(value.starts_with("/c/prefix/") || value == "#main", "{name}: {attribute}=`{value}`");
            }
        }
    }
    // A script and a style sheet, ours, once each; no picture; and nothing that can't be seen but line ends.
    assert_eq!(read.tags.iter().filter(|tag| tag.name == "script").count(), 1, "{name}");
    assert!(!html.contains("style="), "{name}");
    let hidden = html.chars().find(|character| agent_core::safety::is_hidden(*character) && *character != '\n');
    assert_eq!(hidden, None, "{name}");
}

#[test]
fn attack_31_no_page_runs_or_loads_what_a_server_wrote() {
    let pages = pages();
    for (name, html) in &pages {
        judge(name, html);
    }
    let all: String = pages.iter().map(|(_, html)| html.as_str()).collect();
    assert!(all.contains("&lt;img src=x onerror=alert(1)&gt;") && all.contains("&lt;/script&gt;"), "it is shown as text");
}

#[test]
fn attack_31_bidi_and_escapes_are_seen_and_a_servers_words_are_labelled() {
    let pages = pages();
    for (name, html) in pages.iter().filter(|(name, _)| ["approvals", "request", "tool", "catalog"].contains(name)) {
        let main = html.split("</h1>").nth(1).unwrap();
        let first = main.find("\\u{202e}").unwrap();
        let label = ["not checked", "its name for it", "tags"].iter().filter_map(|label| main.find(label)).min();
        assert!(label.unwrap() < first, "{name}");
        assert!(main.contains("\\u{1b}") && main.contains("\\u{e0041}"), "{name}");
    }
}

#[test]
fn auth_2_a_request_shows_all_that_a_yes_is_about() {
    let (_, html) = pages().into_iter().find(|(name, _)| *name == "approvals").unwrap();
    let question = stage::question();
    for part in [
        question.id.to_string(),
        question.asker.session.to_string(),
        html! { (question.asker.principal) }.into_string(),
        question.digest().to_string(),
        question.what[0].bound.digest.to_string(),
    ] {
        assert!(html.contains(&part), "{part}");
    }
    for part in [
        "mcp:shop/buy",
        "destructive",
        "external_send",
        "never accepted before",
        "one login for everybody",
        "every conversation in this process",
        "look twice",
        "the server says (not checked):",
        "same user: advisory only",
        "strong",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn auth_3_enter_in_a_field_answers_nothing() {
    let (_, html) = pages().into_iter().find(|(name, _)| *name == "approvals").unwrap();
    let form = html.split("/do/answer").nth(1).unwrap();
    let first = form.split("<button").nth(1).unwrap();
    assert!(first.split('>').next().unwrap().contains("disabled"), "a form's first button is what Enter presses: {first}");
}

#[test]
fn auth_4_every_form_holds_its_logins_token() {
    for (name, html) in pages() {
        for form in html.split("<form").skip(1).filter(|form| form.split('>').next().unwrap().contains("method=\"post\"")) {
            assert!(form.split("</form>").next().unwrap().contains("name=\"csrf\" value=\"csrf-of-this-login\""), "{name}: {form}");
        }
    }
}

#[test]
fn auth_4_a_viewer_is_given_no_form_that_changes_anything() {
    for (name, html) in stage::pages_for(Role::Viewer) {
        for form in html.split("<form").skip(1).map(|form| form.split('>').next().unwrap()).filter(|form| form.contains("/do/")) {
            assert!(form.contains("/do/verify") || form.contains("/do/answer"), "{name}: {form}");
        }
        assert!(!html.contains("name=\"decision\""), "{name}");
    }
}
