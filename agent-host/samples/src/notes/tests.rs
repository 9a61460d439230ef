#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::tests::Client;
use serde_json::json;
use std::fs;

async fn stage() -> (tempfile::TempDir, Client) {
    let temp = tempfile::tempdir().unwrap();
    let client = Client::of(server(temp.path()).unwrap()).await;
    (temp, client)
}

#[tokio::test]
async fn notes_are_kept_found_and_changed() {
    let (temp, notes) = stage().await;
    assert_eq!(notes.text("list_notes", json!({})).await, "no notes");
    let cake = json!({"title": "Apple cake", "text": "Bake for 40 minutes", "tags": ["#recipe", "sweet"]});
    assert_eq!(notes.text("add_note", cake).await, "1. Apple cake #recipe #sweet\n\nBake for 40 minutes");
    notes.text("add_note", json!({"title": "Call the plumber", "tags": ["home"]})).await;
    let found = notes.value("search_notes", json!({"words": "MINUTES apple"})).await;
    assert_eq!((&found["total"], &found["notes"][0]["number"]), (&json!(1), &json!(1)));
    assert_eq!(notes.value("search_notes", json!({"words": "apple plumber"})).await["total"], json!(0));
    assert_eq!(notes.text("list_notes", json!({"tag": "home"})).await, "2. Call the plumber #home");
    assert!(notes.text("list_notes", json!({"limit": 1})).await.ends_with("(1 more)"));
    notes.text("append_to_note", json!({"number": 1, "text": "Serve cold"})).await;
    assert_eq!(notes.value("get_note", json!({"number": 1})).await["text"], json!("Bake for 40 minutes\n\nServe cold"));
    notes.text("edit_note", json!({"number": 2, "title": "Called"})).await;
    notes.text("tag_note", json!({"number": 2, "add": ["done"], "remove": ["#home"]})).await;
    assert_eq!(notes.text("get_note", json!({"number": 2})).await, "2. Called #done\n\n");
    assert_eq!(notes.value("list_tags", json!({})).await["tags"], json!({"done": 1, "recipe": 1, "sweet": 1}));
    assert!(notes.text("delete_note", json!({"number": 2})).await.contains("`Called`"));
    assert!(notes.refusal("get_note", json!({"number": 2})).await.contains("`list_notes`"));
    // A number is never given twice, also by the next server on this folder.
    let next = Client::of(server(temp.path()).unwrap()).await;
    assert_eq!(next.value("add_note", json!({"title": "Third"})).await["number"], json!(3));
}

#[tokio::test]
async fn notes_have_bounds_and_a_broken_file_is_left() {
    let (temp, notes) = stage().await;
    notes.refusal("add_note", json!({"title": ""})).await;
    notes.refusal("add_note", json!({"title": "a", "text": "x".repeat(20_001)})).await;
    notes.refusal("edit_note", json!({"number": 1})).await;
    notes.text("add_note", json!({"title": "a", "text": "x".repeat(20_000)})).await;
    assert!(notes.refusal("append_to_note", json!({"number": 1, "text": "y"})).await.contains("add another note"));
    assert_eq!(notes.value("get_note", json!({"number": 1})).await["text"].as_str().unwrap().len(), 20_000);
    fs::write(temp.path().join("notes.json"), "{\"last\": 1,").unwrap();
    assert!(notes.refusal("list_notes", json!({})).await.contains("left as it is"));
    notes.refusal("add_note", json!({"title": "b"})).await;
    assert_eq!(fs::read_to_string(temp.path().join("notes.json")).unwrap(), "{\"last\": 1,");
}

#[tokio::test]
async fn two_servers_on_one_folder_lose_nothing() {
    let (temp, one) = stage().await;
    let two = Client::of(server(temp.path()).unwrap()).await;
    let write = |client: Client| async move {
        for number in 0..20 {
            client.text("add_note", json!({"title": format!("note {number}")})).await;
        }
        client
    };
    let (one, _two) = tokio::join!(write(one), write(two));
    assert_eq!(one.value("list_notes", json!({})).await["total"], json!(40));
}

#[tokio::test]
async fn nat_3_notes_do_not_leave_their_folder() {
    let (temp, notes) = stage().await;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("notes.json"), "{\"last\": 0, \"notes\": []}").unwrap();
    std::os::unix::fs::symlink(outside.path().join("notes.json"), temp.path().join("notes.json")).unwrap();
    assert!(notes.refusal("list_notes", json!({})).await.contains("leads out of the folder"));
    notes.refusal("add_note", json!({"title": "a"})).await;
    assert_eq!(fs::read_to_string(outside.path().join("notes.json")).unwrap(), "{\"last\": 0, \"notes\": []}");
    let pipe = tempfile::tempdir().unwrap();
    assert!(crate::folder::tests::made("mkfifo", &pipe.path().join("notes.lock"), &[]));
    let notes = Client::of(server(pipe.path()).unwrap()).await;
    assert!(notes.refusal("add_note", json!({"title": "a"})).await.contains("not a file"));
}
