//! Ways by links and second names.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stage::{SECRET, Stage, User};
use crate::ways::{closed, open, way};

/// A root in which links to the outside lie already.
fn with_links(user: User) -> Stage {
    let stage = Stage::new(user);
    symlink("../outside/secret", stage.path("root/relative")).unwrap();
    symlink(stage.path("outside/secret"), stage.path("root/absolute")).unwrap();
    symlink("../outside", stage.path("root/directory")).unwrap();
    symlink("relative", stage.path("root/twice")).unwrap();
    symlink("../outside/new", stage.path("root/dangling")).unwrap();
    symlink("/proc/self/root", stage.path("root/top")).unwrap();
    stage.give("root");
    stage
}

/// A home directory with the keys of the web searches.
fn with_credentials(user: User) -> Stage {
    let stage = Stage::new(user);
    let directory = stage.path("home/.config/ikigai");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("credentials.json"), SECRET).unwrap();
    stage.give("home");
    stage
}

#[test]
fn links_that_are_there_lead_nowhere() {
    closed(&[
        way("a relative link", "cat $ROOT/relative").on(with_links),
        way("an absolute link", "cat $ROOT/absolute").on(with_links),
        way("a link to a link", "cat $ROOT/twice").on(with_links),
        way("a link to a directory", "cat $ROOT/directory/secret").on(with_links),
        way("a list of what a link leads to", "ls $ROOT/directory/").on(with_links),
        way(
            "a link to a file that is written",
            "echo x > $ROOT/relative",
        )
        .on(with_links),
        way("a link to a file that is made", "echo x > $ROOT/dangling").on(with_links),
        way(
            "a link to a directory for a new file",
            "echo x > $ROOT/directory/new",
        )
        .on(with_links),
        way(
            "a link to a directory for a file that goes",
            "rm $ROOT/directory/secret",
        )
        .on(with_links),
        way(
            "a link by the process's own root",
            "cat $ROOT/top$OUT/secret",
        )
        .on(with_links),
    ]);
}

#[test]
fn links_that_are_made_lead_nowhere() {
    closed(&[
        way("a relative link", "ln -s ../outside/secret a && cat a"),
        way("an absolute link", "ln -s $OUT/secret a && cat a"),
        way("a link to a directory", "ln -s $OUT a && cat a/secret"),
        way(
            "a link in the private directory",
            "ln -s $OUT $TMPDIR/a && cat $TMPDIR/a/secret",
        ),
        way(
            "a link in shared memory",
            "l=/dev/shm/ikigai-ways-$$; ln -s $OUT $l; cat $l/secret; e=$?; rm $l; exit $e",
        ),
        way(
            "an archive that unpacks through a link",
            "ln -s $OUT a && mkdir b && echo x > b/new && tar -cf - -C b new | tar -xf - -C a",
        ),
        way("a copy that follows links", "ln -s $OUT a && cp -RL a b"),
        way(
            "credentials by a link",
            "ln -s $HOME a && cat a/.config/ikigai/credentials.json",
        )
        .on(with_credentials),
        way(
            "credentials by their name",
            "cat $HOME/.config/ikigai/credentials.json",
        )
        .on(with_credentials),
        way(
            "the process's own names for its root",
            "cat /proc/self/root$OUT/secret",
        ),
        way(
            "the process's own name for where it is",
            "cat /proc/self/cwd/../outside/secret",
        ),
        way(
            "a thread's name for its root",
            "cat /proc/thread-self/root$OUT/secret",
        ),
    ]);
}

#[test]
fn second_names_of_files_outside_are_not_made() {
    closed(&[
        way("a second name in the root", "ln $OUT/secret a && cat a"),
        way(
            "a second name in the private directory",
            "ln $OUT/secret $TMPDIR/a && cat $TMPDIR/a",
        ),
        way("a second name outside", "ln $ROOT/inside $OUT/new"),
        way(
            "a second name of a descriptor",
            "$ATTACK link-a-descriptor $OUT/secret $ROOT/a",
        ),
    ]);
}

#[test]
fn a_file_with_a_name_in_a_root_is_in_the_root() {
    open(&[
        way("a second name that was there before", "cat $ROOT/twin").on(|user| {
            let stage = Stage::new(user);
            fs::hard_link(stage.path("outside/secret"), stage.path("root/twin")).unwrap();
            stage
        }),
    ]);
}
