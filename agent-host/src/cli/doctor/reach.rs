//! What a user could do with a file, by owners and modes: of the file, and of every folder that leads to it.
//!
//! Is: read from the machine at this moment; access lists are not looked at. Where a user's groups are not known, every group
//! counts as theirs. Is not: tried out, so a look changes nothing. Clause: AUTH-9.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Set on a folder, it keeps others from replacing what is not theirs.
const STICKY: u32 = 0o1000;

/// A user of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    id: u32,
    name: Option<String>,
    /// None where they are not known.
    groups: Option<BTreeSet<u32>>,
}

impl User {
    /// Who runs this.
    pub(super) fn ours() -> Self {
        let id = rustix::process::geteuid().as_raw();
        let groups = rustix::process::getgroups().unwrap_or_default().into_iter().map(rustix::process::Gid::as_raw);
        let groups = groups.chain([rustix::process::getegid().as_raw()]).collect();
        let name = read("/etc/passwd").find(|fields| fields.get(2) == Some(&id.to_string())).and_then(|fields| fields.into_iter().next());
        Self { id, name, groups: Some(groups) }
    }

    /// By name or number.
    pub(super) fn find(text: &str) -> Result<Self, String> {
        let known = read("/etc/passwd").find(|fields| {
            let is = |at: usize| fields.get(at).is_some_and(|field| field == text);
            is(0) || is(2)
        });
        let Some(fields) = known else {
            let id =
                text.parse().map_err(|_| format!("no user `{text}` is in /etc/passwd; name its number, as `id -u {text}` prints it"))?;
            return Ok(Self { id, name: None, groups: None });
        };
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok());
        let (Some(id), Some(group), Some(name)) = (number(2), number(3), fields.first().cloned()) else {
            return Err(format!("the line of `{text}` in /etc/passwd is not understood"));
        };
        let member = |fields: &Vec<String>| fields.get(3).is_some_and(|names| names.split(',').any(|member| member == name));
        let groups = read("/etc/group").filter(member).filter_map(|fields| fields.get(2)?.parse().ok());
        Ok(Self { id, groups: Some(groups.chain([group]).collect()), name: Some(name) })
    }

    pub(super) const fn id(&self) -> u32 {
        self.id
    }

    /// Whether a mode's bits hold for this user: `bits` as of others, so 4, 2 or 1.
    fn may(&self, meta: &Metadata, bits: u32) -> bool {
        let of = |shift: u32| (meta.mode() >> shift) & bits == bits;
        if self.id == 0 || meta.uid() == self.id {
            // An owner gives themselves what they lack.
            return true;
        }
        match &self.groups {
            Some(groups) if groups.contains(&meta.gid()) => of(3),
            Some(_) => of(0),
            None => of(0) || of(3),
        }
    }

    /// What this user can do with what lies at a path; none where nothing does, or nobody can tell.
    pub(super) fn reach(&self, path: &Path) -> Option<Reach> {
        let real = path.canonicalize().ok()?;
        let file = std::fs::metadata(&real).ok()?;
        let mut reach = Reach::default();
        let above: Vec<&Path> = real.ancestors().skip(1).collect();
        for folder in above.into_iter().rev() {
            let meta = std::fs::metadata(folder).ok()?;
            if !self.may(&meta, 1) {
                return Some(reach);
            }
            // Whoever writes a folder puts something else into it.
            reach.write |= self.may(&meta, 3) && (meta.mode() & STICKY == 0 || self.id == 0 || meta.uid() == self.id);
        }
        Some(Reach { read: self.may(&file, 4), write: reach.write || self.may(&file, 2) })
    }
}

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "`{name}` ({})", self.id),
            None => write!(f, "user {}", self.id),
        }
    }
}

/// What a user can do with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) read: bool,
    /// Change it, or put another in its place.
    pub(super) write: bool,
}

/// The fields of each line of a file such as `/etc/passwd`; none where it can't be read.
fn read(path: &str) -> impl Iterator<Item = Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let fields = |line: &str| line.split(':').map(str::to_owned).collect();
    text.lines().map(fields).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn auth_9_what_a_user_reaches_is_told_by_every_folder_on_the_way() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("folder");
        let file = folder.join("file");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&file, "x").unwrap();
        let mode = |path: &Path, mode: u32| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        mode(base.path(), 0o755);
        let meta = std::fs::metadata(&file).unwrap();
        let stranger =
            |groups: Option<&[u32]>| User { id: 4_000_000, name: None, groups: groups.map(|groups| groups.iter().copied().collect()) };
        let (none, member, unknown) = (stranger(Some(&[])), stranger(Some(&[meta.gid()])), stranger(None));
        for (at_folder, at_file, alone, in_group) in [
            (0o700, 0o666, (false, false), (false, false)),
            (0o755, 0o600, (false, false), (false, false)),
            (0o755, 0o640, (false, false), (true, false)),
            (0o755, 0o604, (true, false), (false, false)),
            (0o755, 0o662, (false, true), (true, true)),
            (0o777, 0o600, (false, true), (false, true)),
            (0o1777, 0o600, (false, false), (false, false)),
            (0o770, 0o600, (false, false), (false, true)),
        ] {
            mode(&folder, at_folder);
            mode(&file, at_file);
            let of = |user: &User| user.reach(&file).map(|reach| (reach.read, reach.write)).unwrap();
            assert_eq!(of(&none), alone, "{at_folder:o} {at_file:o} alone");
            assert_eq!(of(&member), in_group, "{at_folder:o} {at_file:o} in the group");
            let either = (alone.0 || in_group.0, alone.1 || in_group.1);
            assert_eq!(of(&unknown), either, "{at_folder:o} {at_file:o} of unknown groups");
            assert_eq!(of(&User::ours()), (true, true), "its owner");
        }
        assert_eq!(none.reach(&folder.join("nothing")), None);
    }

    #[test]
    fn auth_9_users_are_found_by_name_or_number() {
        let root = User::find("root").unwrap();
        assert_eq!((root.id(), User::find("0").unwrap()), (0, root.clone()));
        assert_eq!(User::find("4000000").unwrap().groups, None);
        assert!(User::find("nobody-of-that-name").unwrap_err().contains("id -u"));
    }
}
