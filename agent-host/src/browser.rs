//! Shows a person a page: of a login, or of the console.
//!
//! Is: the platform's opener, with the address as its one argument and no shell between. Is not: needed; the address is printed
//! as well. Clause: UP-5 (login). Neighbours: `login`, `cli`.

use std::io;
use std::process::Stdio;
use tokio::process::Command;
use url::Url;

/// What opens an address here.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens an `http` or `https` address, and nothing else: an opener would run what another scheme names.
///
/// # Errors
/// What the system says where there is no opener.
pub(crate) fn open(url: &Url) -> io::Result<()> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(io::Error::other("only a web page is opened"));
    }
    let mut command = Command::new(OPENER);
    // A written URL begins with its scheme, so it is no option, and holds no blank and nothing that can't be seen.
    command.arg(url.as_str()).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    // The browser may outlive us; it is nobody's to wait for.
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn attack_62_only_a_web_page_is_opened() {
        for url in ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vscode://x/y", "ms-msdt:/id"] {
            assert!(Url::parse(url).is_ok_and(|url| open(&url).is_err()), "{url}");
        }
    }
}
