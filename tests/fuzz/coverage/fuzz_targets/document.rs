#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linkscent_fuzz::run("document", data));
