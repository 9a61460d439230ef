#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use rustix::fs::CWD;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, thread};

/// A folder `in` with a file, and a secret beside it.
fn stage() -> (tempfile::TempDir, Folder) {
    let temp = tempfile::tempdir().unwrap();
    let inside = temp.path().join("in");
    fs::create_dir_all(inside.join("sub")).unwrap();
    fs::create_dir_all(temp.path().join("out")).unwrap();
    fs::write(inside.join("sub/a.txt"), "a").unwrap();
    fs::write(temp.path().join("out/secret"), "secret").unwrap();
    let folder = Folder::open(&inside).unwrap();
    (temp, folder)
}

fn said<T>(result: Result<T, Wrong>) -> String {
    result.err().map(|Wrong(text)| text).unwrap_or_default()
}

/// Whether a program made something in the file system.
pub(crate) fn made(program: &str, path: &Path, arguments: &[&str]) -> bool {
    std::process::Command::new(program).arg(path).args(arguments).output().unwrap().status.success()
}

#[test]
fn nat_3_paths_that_lead_outside_are_refused() {
    let (temp, folder) = stage();
    let inside = temp.path().join("in");
    symlink(temp.path().join("out"), inside.join("absolute")).unwrap();
    symlink("../out", inside.join("relative")).unwrap();
    symlink("../out/secret", inside.join("file")).unwrap();
    symlink("../out/new", inside.join("dangling")).unwrap();
    symlink("/etc/passwd", inside.join("passwd")).unwrap();
    symlink("relative", inside.join("twice")).unwrap();
    symlink("loop", inside.join("loop")).unwrap();
    symlink("/proc/self/root/etc", inside.join("sub/magic")).unwrap();
    let absolute = temp.path().join("out/secret");
    let long = "x/".repeat(600);
    let (name, deep) = ("n".repeat(300), format!("{}etc/passwd", "../".repeat(40)));
    let paths = [
        "..",
        "../out/secret",
        "sub/../../out/secret",
        "./.././out/secret",
        "sub/../../in/sub/a.txt",
        "absolute/secret",
        "relative/secret",
        "file",
        "passwd",
        "twice/secret",
        "loop",
        "sub/magic/passwd",
        "sub//..//..//out/secret",
        "/etc/passwd",
        "//etc/passwd",
        "a\0b",
        "a\nb",
        absolute.to_str().unwrap(),
        &long,
        &name,
        &deep,
    ];
    for path in paths {
        assert!(!said(folder.read(path)).is_empty(), "{path:?} is read");
        assert!(!said(folder.info(path)).is_empty(), "{path:?} is looked at");
        assert!(!said(folder.folder(path)).is_empty(), "{path:?} is listed");
        assert!(!said(folder.append(path, b"x")).is_empty(), "{path:?} is added to");
        assert!(!said(folder.replace(path, b"x")).is_empty(), "{path:?} is written");
    }
    // What is not there yet is resolved as well.
    for path in ["dangling", "../new", "relative/new", "twice/new", "sub/../../out/new", "absolute/new"] {
        assert!(!said(folder.append(path, b"x")).is_empty(), "{path:?} is made");
        assert!(!said(folder.replace(path, b"x")).is_empty(), "{path:?} is made");
    }
    assert!(said(folder.read("../out/secret")).contains("leads out of the folder"));
    assert!(said(folder.read("relative/secret")).contains("leads out of the folder"));
    assert_eq!(fs::read_to_string(absolute).unwrap(), "secret");
    assert_eq!(fs::read_dir(temp.path().join("out")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
}

#[test]
fn nat_3_links_and_dots_that_stay_inside_are_followed() {
    let (temp, folder) = stage();
    symlink("sub", temp.path().join("in/link")).unwrap();
    for path in ["sub/a.txt", "./sub//a.txt", "sub/../sub/a.txt", "link/a.txt", "link/../sub/a.txt"] {
        assert_eq!(folder.text(path).unwrap(), "a", "{path}");
    }
    folder.replace("link/b.txt", b"b").unwrap();
    assert_eq!(fs::read_to_string(temp.path().join("in/sub/b.txt")).unwrap(), "b");
}

#[test]
fn nat_3_only_files_are_opened_and_none_is_waited_for() {
    let (temp, folder) = stage();
    let inside = temp.path().join("in");
    assert!(made("mkfifo", &inside.join("pipe"), &[]));
    let _socket = std::os::unix::net::UnixListener::bind(inside.join("socket")).unwrap();
    symlink("pipe", inside.join("to-pipe")).unwrap();
    // Only root may make one. It would never end.
    let zero = made("mknod", &inside.join("zero"), &["c", "1", "5"]);
    let paths = ["pipe", "socket", "to-pipe", "sub"].into_iter().chain(zero.then_some("zero"));
    for path in paths {
        assert!(said(folder.read(path)).contains("not a file"), "{path}");
        assert!(said(folder.append(path, b"x")).contains("not a file"), "{path}");
        assert!(said(folder.replace(path, b"x")).contains("not a file"), "{path}");
    }
}

/// Somebody swaps a folder for a link to the outside, again and again, while it is read and written.
#[test]
fn nat_3_a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let (temp, folder) = stage();
    let inside = temp.path().join("in");
    symlink("../out", inside.join("other")).unwrap();
    fs::write(inside.join("sub/secret"), "inside").unwrap();
    let (stop, swapped) = (Arc::new(AtomicBool::new(false)), inside.clone());
    let swapping = thread::spawn({
        let stop = stop.clone();
        move || {
            while !stop.load(Ordering::Relaxed) {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, swapped.join("sub"), CWD, swapped.join("other"), flags).unwrap();
            }
        }
    });
    let (mut read, mut turned_away) = (0, 0);
    for _ in 0..3_000 {
        match folder.text("sub/secret") {
            Ok(text) => {
                assert_eq!(text, "inside");
                read += 1;
            }
            Err(_) => turned_away += 1,
        }
        let _ = folder.append("sub/made", b"x");
        let _ = folder.replace("sub/written", b"x");
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(read > 0 && turned_away > 0, "{read} reads, {turned_away} refusals");
    assert_eq!(fs::read_to_string(temp.path().join("out/secret")).unwrap(), "secret");
    let outside: Vec<_> = fs::read_dir(temp.path().join("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside, ["secret"]);
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (temp, folder) = stage();
    let path = temp.path().join("in/sub/a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    folder.replace("sub/a.txt", b"new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(temp.path().join("in/sub")).unwrap().count(), 1);
    assert!(said(folder.replace("sub/none/b.txt", b"x")).contains("is not there"));
}

#[test]
fn what_is_too_large_is_not_read() {
    let (temp, folder) = stage();
    fs::File::create(temp.path().join("in/huge")).unwrap().set_len(1 << 40).unwrap();
    assert!(said(folder.read("huge")).contains("more than"));
    assert!(said(folder.append("huge", b"x")).contains("more than"));
    fs::write(temp.path().join("in/binary"), [0xff, 0xfe]).unwrap();
    assert!(said(folder.text("binary")).contains("not text"));
}
