//! Work that may wait gives way to people: to whoever looks at a page of the dashboard, and to what else
//! they do on this machine.

/// The thread that calls it, and those that it begins, give way from now on: on Linux with a niceness of
/// ten. Elsewhere they do not, as only whole programs can there.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    {
        const NICENESS: i32 = 10;
        // It may give way further already.
        if rustix::process::getpriority_process(None).is_ok_and(|now| now < NICENESS) {
            let _ = rustix::process::setpriority_process(None, NICENESS);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gives_way_with_those_that_it_begins_and_no_other() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        let of_threads = std::thread::spawn(move || {
            give_way();
            let own = niceness();
            (own, std::thread::spawn(niceness).join().unwrap())
        });
        let expected = before.max(10);
        assert_eq!(of_threads.join().unwrap(), (expected, expected));
        assert_eq!(niceness(), before);
    }
}
