//! How much memory Linux has left for us, from the texts in which it says so.
//!
//! A program is in a group of processes (a "control group"), that in another, and each may have a
//! limit. There are two versions of them, and a machine may have both at once.

/// Where a version of control groups keeps what is to be known of their memory.
struct Hierarchy {
    /// The folder of the group that holds all others.
    root: &'static str,
    /// Whether a line of `/proc/self/cgroup` with these controllers is this hierarchy's.
    is_it: fn(&str) -> bool,
    limit: &'static str,
    used: &'static str,
    /// What of the used bytes is only a copy of files, and given up as soon as somebody needs it.
    reclaimable: [&'static str; 2],
}

const HIERARCHIES: [Hierarchy; 2] = [
    Hierarchy {
        root: "/sys/fs/cgroup",
        is_it: str::is_empty,
        limit: "memory.max",
        used: "memory.current",
        reclaimable: ["inactive_file", "active_file"],
    },
    Hierarchy {
        root: "/sys/fs/cgroup/memory",
        is_it: |controllers| controllers.split(',').any(|name| name == "memory"),
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        // Those of the groups within it are counted in its use too.
        reclaimable: ["total_inactive_file", "total_active_file"],
    },
];

/// Bytes that can be had, where `read` gives the text of a file. `None` where the system doesn't
/// say.
pub(super) fn available(read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let whole = named(&read("/proc/meminfo")?, "MemAvailable:")? << 10;
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let of_groups = HIERARCHIES.iter().flat_map(|hierarchy| {
        let path = group_path(&groups, hierarchy.is_it);
        folders(path).filter_map(|folder| left_in(hierarchy, folder, &read))
    });
    of_groups.chain([whole]).min()
}

/// Our group's path below the root of a hierarchy.
fn group_path(groups: &str, is_it: fn(&str) -> bool) -> &str {
    let path = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        is_it(controllers).then_some(path)
    });
    path.unwrap_or_default().trim_end_matches('/')
}

/// A group's path and those of the groups around it. In a container the inner ones may be missing:
/// then it sees its own group as the root.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0))
}

fn left_in(
    hierarchy: &Hierarchy,
    folder: &str,
    read: impl Fn(&str) -> Option<String>,
) -> Option<u64> {
    let file = |name: &str| read(&format!("{}{folder}/{name}", hierarchy.root));
    let number = |name: &str| file(name)?.trim().parse::<u64>().ok();
    // A group without a limit says `max`.
    let limit = number(hierarchy.limit)?;
    let stat = file("memory.stat").unwrap_or_default();
    let reclaimable = hierarchy.reclaimable.map(|name| named(&stat, name));
    let reclaimable: u64 = reclaimable.into_iter().flatten().sum();
    let used = number(hierarchy.used)?.saturating_sub(reclaimable);
    Some(limit.saturating_sub(used))
}

/// The number behind a name, on a line of its own.
fn named(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next()?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// What is available on a machine with 8 GiB free and these files besides.
    fn with(files: &[(&str, &str)]) -> Option<u64> {
        available(|path| {
            let info =
                "MemTotal:       16303428 kB\nMemFree:  100 kB\nMemAvailable:    8388608 kB\n";
            let all = [("/proc/meminfo", info)];
            let mut found = all.iter().chain(files).filter(|(name, _)| *name == path);
            found.next().map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn without_groups_it_is_what_the_machine_has() {
        assert_eq!(with(&[]), Some(8 * GIB));
        assert_eq!(with(&[("/proc/self/cgroup", "0::/\n")]), Some(8 * GIB));
        assert_eq!(available(|_| None), None);
        assert_eq!(available(|_| Some("nonsense".to_owned())), None);
    }

    #[test]
    fn the_tightest_group_around_us_counts() {
        let files = [
            ("/proc/self/cgroup", "0::/user.slice/app.scope\n"),
            ("/sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/app.scope/memory.current", "5\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "4294967296\n"),
            ("/sys/fs/cgroup/user.slice/memory.current", "3221225472\n"),
            (
                "/sys/fs/cgroup/user.slice/memory.stat",
                "anon 5\ninactive_file 1073741824\nactive_file 536870912\nslab 7\n",
            ),
        ];
        assert_eq!(with(&files), Some(GIB + GIB + GIB / 2));
        assert_eq!(with(&files[..5]), Some(GIB));
        // No use known, no room known.
        assert_eq!(with(&files[..4]), Some(8 * GIB));
    }

    #[test]
    fn in_a_container_its_own_group_is_the_root() {
        let files = [
            ("/proc/self/cgroup", "0::/\n"),
            ("/sys/fs/cgroup/memory.max", "2147483648\n"),
            ("/sys/fs/cgroup/memory.current", "1073741824\n"),
        ];
        assert_eq!(with(&files), Some(GIB));
    }

    #[test]
    fn groups_of_the_first_version() {
        let own = "/sys/fs/cgroup/memory/docker/1f";
        let [limit, used, stat] =
            ["limit_in_bytes", "usage_in_bytes", "stat"].map(|name| format!("{own}/memory.{name}"));
        let files = [
            (
                "/proc/self/cgroup",
                "5:cpu,cpuacct:/\n4:hugetlb,memory:/docker/1f\n0::/\n",
            ),
            (limit.as_str(), "2147483648\n"),
            (used.as_str(), "2147483648\n"),
            (
                stat.as_str(),
                "inactive_file 1\nactive_file 2\ntotal_inactive_file 1000\ntotal_active_file 24\n",
            ),
            // Nobody has set one here.
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "99999\n"),
        ];
        assert_eq!(with(&files), Some(1024));
    }

    #[test]
    fn more_used_than_allowed_leaves_nothing() {
        let files = [
            ("/sys/fs/cgroup/memory.max", "1000\n"),
            ("/sys/fs/cgroup/memory.current", "2000\n"),
        ];
        assert_eq!(with(&files), Some(0));
    }
}
