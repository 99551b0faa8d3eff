//! Writes the API's messages as Rust structs: `ginrummy-wire-generator DESCRIPTORS FOLDER`.
//!
//! `DESCRIPTORS` is a file that `protoc --include_imports --descriptor_set_out` has made.

use std::error::Error;
use std::{env, fs};

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [descriptors, folder] = arguments.as_slice() else {
        return Err("usage: ginrummy-wire-generator DESCRIPTORS FOLDER".into());
    };
    let files = FileDescriptorSet::decode(fs::read(descriptors)?.as_slice())?;
    prost_build::Config::new()
        .out_dir(folder)
        .disable_comments(["."])
        .compile_fds(files)?;
    Ok(())
}
