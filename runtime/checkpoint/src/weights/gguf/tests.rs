//! Files written by candle's own writer, whole and damaged.

use std::io::Write;

use candle_core::quantized::gguf_file::{self, Value as Written};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use expect_test::expect;
use tempfile::NamedTempFile;

use super::*;

/// Two tensors and a key of each kind.
fn bytes() -> Vec<u8> {
    let tensor = |dtype, rows: usize, columns: usize| {
        let data: Vec<f32> = (0..rows * columns).map(|i| (i as f32 * 0.37).sin()).collect();
        let data = Tensor::from_vec(data, (rows, columns), &Device::Cpu).unwrap();
        QTensor::quantize(&data, dtype).unwrap()
    };
    let (a, b) = (tensor(GgmlDType::Q4_1, 3, 64), tensor(GgmlDType::F32, 2, 5));
    let text = |text: &str| Written::String(text.to_owned());
    let list = Written::Array(vec![text("x"), text("yz")]);
    let metadata = [
        ("architecture", &text("llama")),
        ("count", &Written::U32(7)),
        ("eps", &Written::F32(0.5)),
        ("flag", &Written::Bool(true)),
        ("list", &list),
    ];
    let mut file = std::io::Cursor::new(Vec::new());
    gguf_file::write(&mut file, &metadata, &[("a", &a), ("b", &b)]).unwrap();
    file.into_inner()
}

fn open(bytes: &[u8]) -> Result<GgufFile, GgufError> {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    GgufFile::open(file.path())
}

fn refusal(bytes: &[u8]) -> String {
    open(bytes).unwrap_err().to_string()
}

/// The file with the first occurrence of `from` replaced by as many other bytes.
fn patched(from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes();
    let at = bytes.windows(from.len()).position(|window| window == from).expect("the fixture holds the bytes");
    bytes[at..at + to.len()].copy_from_slice(to);
    bytes
}

#[test]
fn what_was_written_is_read() {
    let file = open(&bytes()).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((file.shape("a"), file.shape("b")), (Some([3, 64].as_slice()), Some([2, 5].as_slice())));
    let metadata = file.metadata();
    assert_eq!(metadata.text("architecture").unwrap(), "llama");
    assert_eq!(metadata.usize("count").unwrap(), 7);
    assert_eq!(metadata.f64("eps").unwrap(), 0.5);
    assert!(metadata.bool_or("flag", false).unwrap());
    assert_eq!(metadata.texts("list").unwrap(), ["x", "yz"]);
    assert_eq!(file.read("b").unwrap(), (0..10).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>());
}

#[test]
fn every_supported_type_is_dequantised_as_its_writer_does() {
    for dtype in types::decodable() {
        let data: Vec<f32> = (0..512).map(|i| (i as f32 * 0.11).cos() * (i / 40) as f32).collect();
        let written = Tensor::from_vec(data.clone(), (2, 256), &Device::Cpu).unwrap();
        let written = QTensor::quantize(&written, dtype).unwrap();
        let mut file = std::io::Cursor::new(Vec::new());
        gguf_file::write(&mut file, &[], &[("t", &written)]).unwrap();
        let read = open(&file.into_inner()).unwrap().read("t").unwrap();
        let expected = written.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        assert_eq!(read, expected, "{dtype:?}");
        let error = read.iter().zip(&data).map(|(r, d)| (r - d).abs()).fold(0.0, f32::max);
        assert!(error < 6.0, "{dtype:?}: off by {error} of 12");
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    expect!["not a GGUF file: it starts with `PK\\x03\\x04`, expected `GGUF`"].assert_eq(&refusal(b"PK\x03\x04..."));
    expect!["not a GGUF file: it starts with ``, expected `GGUF`"].assert_eq(&refusal(b""));
    let version = |version: u32| refusal(&[b"GGUF".as_slice(), &version.to_le_bytes(), &[0; 16]].concat());
    expect!["GGUF version is 1, supported are 2 and 3, little-endian"].assert_eq(&version(1));
    expect!["GGUF version is 50331648, supported are 2 and 3, little-endian"].assert_eq(&version(3u32.to_be()));
}

#[test]
fn a_file_cut_anywhere_is_refused_and_the_place_named() {
    let whole = bytes();
    // The writer pads behind the last tensor; only what the tensors need must be there.
    let needed = open(&whole).unwrap().header.tensors.values().map(|tensor| tensor.bytes.end).max().unwrap();
    for length in 0..needed {
        open(&whole[..length]).expect_err("cut files must be refused");
    }
    open(&whole[..needed]).unwrap();
    expect!["truncated in the header, at metadata key `architecture`: expected 5 bytes at offset 56, found 2"]
        .assert_eq(&refusal(&whole[..58]));
    expect!["truncated: tensor `b` ends at byte 424, the file has 423 bytes"].assert_eq(&refusal(&whole[..needed - 1]));
}

#[test]
fn damage_in_the_header_is_told_from_truncation() {
    // The length of `architecture` becomes enormous.
    let long = patched(b"\x0c\0\0\0\0\0\0\0architecture", &u64::MAX.to_le_bytes());
    expect!["corrupt header, at metadata key 0 of 5: a string of 18446744073709551615 bytes, expected at most 65535"]
        .assert_eq(&refusal(&long));
    expect![
        "corrupt header, at metadata key `architecture`: a string with invalid UTF-8 at its byte 0, expected UTF-8"
    ]
    .assert_eq(&refusal(&patched(b"llama", b"\xff\xfeama")));
    expect!["corrupt header, at metadata key `flag`: a truth value of 2, expected 0 or 1"]
        .assert_eq(&refusal(&patched(b"flag\x07\0\0\0\x01", b"flag\x07\0\0\0\x02")));
    expect!["corrupt header, at metadata key `flag`: value type 13, expected a type in 0..=12, lists not nested"]
        .assert_eq(&refusal(&patched(b"flag\x07", b"flag\x0d")));
    expect!["corrupt header, at metadata key `list`: the key twice, expected each key once"]
        .assert_eq(&refusal(&patched(b"flag", b"list")));
    expect!["corrupt header, at number of metadata keys: 4294967295, expected at most 65536"]
        .assert_eq(&refusal(&patched(b"\x05\0\0\0\0\0\0\0\x0c", b"\xff\xff\xff\xff\0\0\0\0\x0c")));
    expect!["corrupt header, at number of tensors: 9151314442816847874, expected at most 65536"]
        .assert_eq(&refusal(&patched(b"GGUF\x02\0\0\0\x02", b"GGUF\x02\0\0\0\x02\0\0\0\0\0\0\x7f")));
    expect!["corrupt header, at metadata key `list`: a list of 72057594037927938, expected at most 4294967296 entries"]
        .assert_eq(&refusal(&patched(
            b"list\x09\0\0\0\x08\0\0\0\x02\0\0\0\0\0\0\0",
            b"list\x09\0\0\0\x08\0\0\0\x02\0\0\0\0\0\0\x01",
        )));
    // One tensor: name length, name, rank, dimensions, type, offset.
    let tensor = b"\x01\0\0\0\0\0\0\0a\x02\0\0\0\x40\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x03\0\0\0";
    let with = |at: usize, byte: u8| {
        let mut other = tensor.to_vec();
        other[at] = byte;
        refusal(&patched(tensor, &other))
    };
    expect!["corrupt header, at tensor `a`: 9 dimensions, expected 1 to 4"].assert_eq(&with(9, 9));
    expect![
        "corrupt header, at tensor `a`: dimensions [65, 3], expected all above 0 and the first a multiple of 32 (Q4_1)"
    ]
    .assert_eq(&with(13, 0x41));
    expect![
        "corrupt header, at tensor `a`: dimensions [0, 3], expected all above 0 and the first a multiple of 32 (Q4_1)"
    ]
    .assert_eq(&with(13, 0));
    expect!["corrupt header, at tensor `a`: dimensions [18374686479671623744, 3], expected each at most 4294967296"]
        .assert_eq(&with(20, 0xff));
    expect!["tensor `a` has quantisation type IQ2_XXS (supported: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K)"].assert_eq(&with(29, 16));
    expect!["tensor `a` has quantisation type number 200 (supported: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K)"].assert_eq(&with(29, 200));
    expect!["corrupt header, at tensor `b`: the name twice, expected each name once"].assert_eq(&with(8, b'b'));
}

#[test]
fn tensors_that_share_bytes_are_refused() {
    // Tensor `b` moves from offset 128, behind `a`, to 96, within it.
    let entry =
        |offset: u8| [b"b\x02\0\0\0\x05\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0".as_slice(), &[offset]].concat();
    expect!["corrupt header, at tensor `b`: offset 96, expected an offset after the preceding tensor's end"]
        .assert_eq(&refusal(&patched(&entry(128), &entry(96))));
}

#[test]
fn any_flipped_byte_gives_a_file_or_an_error_but_no_panic() {
    let whole = bytes();
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            if let Ok(file) = open(&damaged) {
                for name in file.names() {
                    file.read(name).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_key_of_the_wrong_type_is_named() {
    let file = open(&bytes()).unwrap();
    let metadata = file.metadata();
    let text = |error: GgufError| error.to_string();
    expect!["metadata key `eps` is 0.5, expected an integer of at least 0"]
        .assert_eq(&text(metadata.usize("eps").unwrap_err()));
    expect!["metadata key `architecture` is `llama`, expected a float"]
        .assert_eq(&text(metadata.f64("architecture").unwrap_err()));
    expect!["metadata key `list` is a list of 2, expected text"].assert_eq(&text(metadata.text("list").unwrap_err()));
    expect!["metadata key `list` is a list of 2, expected a list of integers"]
        .assert_eq(&text(metadata.integers("list").unwrap_err()));
    expect!["metadata key `absent` is missing"].assert_eq(&text(metadata.text("absent").unwrap_err()));
}
