#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::tests::Client;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

async fn stage() -> (tempfile::TempDir, Client) {
    let temp = tempfile::tempdir().unwrap();
    let inside = temp.path().join("in");
    fs::create_dir_all(inside.join("docs/old")).unwrap();
    fs::write(inside.join("docs/Guide.md"), "# Guide\nFirst line\nsecond LINE\nlast").unwrap();
    fs::write(inside.join("docs/old/notes.txt"), "nothing here\n").unwrap();
    fs::write(inside.join("image.bin"), [0xff, 0x00]).unwrap();
    fs::write(temp.path().join("secret"), "a secret line").unwrap();
    symlink("../secret", inside.join("out")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    let client = Client::of(server(&inside).unwrap()).await;
    (temp, client)
}

#[tokio::test]
async fn files_are_listed_read_and_found() {
    let (_temp, files) = stage().await;
    assert_eq!(files.text("list_folder", json!({})).await, "docs/\nimage.bin (2 bytes)\nout (link)\nup (link)\n");
    assert_eq!(files.text("folder_tree", json!({"path": "docs"})).await, "docs\n  Guide.md\n  old/\n    notes.txt\n");
    assert!(!files.text("folder_tree", json!({"depth": 1})).await.contains("Guide"));
    let read = |first: u32, lines: u32| json!({"path": "docs/Guide.md", "first_line": first, "lines": lines, "numbered": true});
    assert_eq!(files.text("read_file", read(2, 2)).await, "    2  First line\n    3  second LINE\n(lines 2 to 3 of 4)");
    assert_eq!(files.text("read_file", json!({"path": "docs/old/notes.txt"})).await, "nothing here\n");
    assert!(files.refusal("read_file", read(5, 1)).await.contains("4 lines"));
    assert!(files.refusal("read_file", json!({"path": "docs"})).await.contains("a folder, not a file"));
    assert!(files.refusal("read_file", json!({"path": "image.bin"})).await.contains("not text"));
    assert!(files.refusal("read_file", json!({"path": "docs/none"})).await.contains("`list_folder`"));
    let info = files.value("file_info", json!({"path": "image.bin"})).await;
    assert_eq!((&info["kind"], &info["bytes"], &info["read_only"]), (&json!("file"), &json!(2), &json!(false)));
    assert!(info["changed"].as_str().unwrap().ends_with('Z'));
    assert_eq!(files.value("find_files", json!({"name": "g*.MD"})).await["paths"], json!(["docs/Guide.md"]));
    assert_eq!(files.value("find_files", json!({"name": "*", "limit": 2})).await["complete"], json!(false));
    let found = files.text("search_in_files", json!({"text": "line"})).await;
    assert_eq!(found, "docs/Guide.md:2: First line\ndocs/Guide.md:3: second LINE\n");
    let found = files.value("search_in_files", json!({"text": "^[a-z]+ LINE$", "regex": true, "match_case": true, "name": "*.md"})).await;
    assert_eq!(found["matches"], json!([{"path": "docs/Guide.md", "line": 3, "text": "second LINE"}]));
    files.refusal("search_in_files", json!({"text": "(", "regex": true})).await;
    files.refusal("search_in_files", json!({"text": "(?:a{1000}){1000}", "regex": true})).await;
}

#[tokio::test]
async fn files_are_changed() {
    let (temp, files) = stage().await;
    let text = |path: &str| fs::read_to_string(temp.path().join("in").join(path)).unwrap();
    files.text("create_folder", json!({"path": "a/b"})).await;
    assert!(files.text("create_folder", json!({"path": "a/b"})).await.contains("already"));
    files.text("write_file", json!({"path": "a/b/new.txt", "text": "one\n"})).await;
    assert!(files.refusal("write_file", json!({"path": "a/b/new.txt", "text": "two\n"})).await.contains("`overwrite`"));
    files.text("write_file", json!({"path": "a/b/new.txt", "text": "two\n", "overwrite": true})).await;
    files.text("append_to_file", json!({"path": "a/b/new.txt", "text": "three\n"})).await;
    assert_eq!(text("a/b/new.txt"), "two\nthree\n");
    files.text("copy_file", json!({"from": "a/b/new.txt", "to": "a/copy.txt"})).await;
    files.text("move_file", json!({"from": "a/b", "to": "c"})).await;
    assert_eq!((text("a/copy.txt"), text("c/new.txt")), ("two\nthree\n".to_owned(), "two\nthree\n".to_owned()));
    assert!(files.refusal("move_file", json!({"from": "a/copy.txt", "to": "c/new.txt"})).await.contains("already"));
    assert!(files.refusal("move_file", json!({"from": "none", "to": "d"})).await.contains("`none` is not there"));
    assert!(files.refusal("delete_file", json!({"path": "c"})).await.contains("not empty"));
    for path in ["c/new.txt", "c"] {
        files.text("delete_file", json!({"path": path})).await;
    }
    assert!(files.refusal("delete_file", json!({"path": "c"})).await.contains("is not there"));
}

#[tokio::test]
async fn nat_3_no_tool_of_the_files_server_leaves_its_folder() {
    let (temp, files) = stage().await;
    let tools = ["list_folder", "folder_tree", "read_file", "file_info", "create_folder", "delete_file"];
    for path in ["../secret", "up/secret", "..", "docs/../../secret", "/etc/passwd", "up/in/docs", "up"] {
        for tool in tools.iter().filter(|tool| (path, **tool) != ("up", "delete_file")) {
            files.refusal(tool, json!({"path": path})).await;
        }
        files.refusal("write_file", json!({"path": path, "text": "x", "overwrite": true})).await;
        files.refusal("append_to_file", json!({"path": path, "text": "x"})).await;
        files.refusal("find_files", json!({"path": path, "name": "*"})).await;
        files.refusal("search_in_files", json!({"path": path, "text": "secret"})).await;
        files.refusal("copy_file", json!({"from": path, "to": "mine"})).await;
        files.refusal("copy_file", json!({"from": "image.bin", "to": path})).await;
        files.refusal("move_file", json!({"from": "image.bin", "to": path})).await;
    }
    for path in ["../secret", "up/secret", "..", ".", "docs/.."] {
        files.refusal("move_file", json!({"from": path, "to": "mine"})).await;
        files.refusal("delete_file", json!({"path": path})).await;
    }
    files.refusal("read_file", json!({"path": "out"})).await;
    assert_eq!(files.text("search_in_files", json!({"text": "secret"})).await, "no line matches");
    assert_eq!(fs::read_to_string(temp.path().join("secret")).unwrap(), "a secret line");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
    assert!(temp.path().join("in/image.bin").exists());
    // A link is deleted as itself.
    files.text("delete_file", json!({"path": "out"})).await;
    assert!(temp.path().join("secret").exists());
}
