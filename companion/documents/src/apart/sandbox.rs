//! The sandbox of the child on Linux: no files, no network, no other programs.
//!
//! Two features of the kernel do the same work, so that a kernel or a container that lacks one has
//! the other. Landlock (Linux 5.13) forbids files, and TCP from 6.7 on. A seccomp filter lets the
//! process make only the system calls that reading takes; all others fail with `EPERM`. Both set
//! `no_new_privs`: no program that the process could start would have more rights. What a kernel
//! lacks is passed over, since the limits hold without it.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetError,
    RulesetStatus, Scope,
};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// The newest Landlock that is asked for. An older kernel forbids what it knows.
const NEWEST: ABI = ABI::V6;
/// System calls that are allowed with any arguments: standard input and output, memory, waiting
/// for a lock, time, random numbers, signal handlers, the end.
const ALLOWED: [c_long; 23] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Forbids the calling thread to open files and to use the network, as far as Landlock can. Whether
/// it can at all.
pub(super) fn forbid_files_and_network() -> bool {
    let restricted = || -> Result<_, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            .restrict_self()
    };
    // A container may forbid it.
    restricted().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// Has all system calls fail that reading a document does not take.
pub(super) fn filter_system_calls() {
    // No architecture but those that the crate knows has a filter.
    if let Some(filter) = TargetArch::try_from(std::env::consts::ARCH)
        .ok()
        .and_then(|arch| filter(arch).ok())
    {
        // A container may forbid it.
        let _ = seccompiler::apply_filter_all_threads(&filter);
    }
}

fn filter(arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    // Memory never becomes a program.
    let no_program = condition(2, SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64), 0)?;
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(call, vec![SeccompRule::new(vec![no_program.clone()])?]);
    }
    // A process that aborts sends a signal to itself, and may to no other.
    let own = condition(0, SeccompCmpOp::Eq, u64::from(std::process::id()))?;
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![own])?]);
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?.try_into()
}

fn condition(
    argument: u8,
    compared: SeccompCmpOp,
    with: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compared, with)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind::PermissionDenied;

    use super::*;

    #[test]
    fn landlock_alone_refuses_files() {
        let folder = std::env::temp_dir();
        // It holds for this thread alone.
        let tried = std::thread::spawn(move || {
            let is_there = forbid_files_and_network();
            let opened = std::fs::File::open("/dev/null").map(drop);
            let listed = std::fs::read_dir(folder).map(drop);
            (is_there, [opened, listed])
        });
        let (is_there, tried) = tried.join().expect("it tries");
        for attempt in tried {
            let is_refused = attempt.is_err_and(|error| error.kind() == PermissionDenied);
            assert_eq!(is_refused, is_there);
        }
    }

    #[test]
    fn there_is_a_filter_for_each_architecture_that_is_built_for() {
        for arch in [TargetArch::x86_64, TargetArch::aarch64, TargetArch::riscv64] {
            assert!(filter(arch).is_ok(), "{arch:?}");
        }
    }
}
