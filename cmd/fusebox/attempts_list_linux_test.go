package main

// attempt is something that a command must not be able to do. The command prints GOT
// IT on a line of its own where it could; {names} stand for what is there.
type attempt struct {
	name, command string
	// lives says that what must not live on after the call is a sleep of {n} seconds.
	lives bool
	// leaves is a file that must not be there afterwards.
	leaves string
	// alone says that it may end others that run with it.
	alone bool
	// landlock says that Landlock alone does not keep it.
	landlock bool
}

const got = "; echo GOT IT"

// header reports whether a file is a database.
func header(path string) string {
	return `head -c 15 ` + path + ` | grep -q "SQLite format" && echo GOT IT`
}

// perl runs a line that dies where it fails.
func perl(line string) string { return `perl -MSocket -e '` + line + `' && echo GOT IT` }

// plants reports whether a line of Perl leaves a file s that runs as its owner or its group.
func plants(line string) string {
	return `umask 0; rm -rf s; perl -MFcntl -e '$s = "s"; ` + line + `'; test -u s -o -g s && echo GOT IT; rm -rf s`
}

// sameLimits gives a process the limits that it has.
func sameLimits(pid string) string {
	return `perl -e '$l="\0" x 16; syscall({prlimit}, $ARGV[0] + 0, 7, 0, $l) == 0 && syscall({prlimit}, $ARGV[0] + 0, 7, $l, 0) == 0 or die $!' ` + pid + ` && echo GOT IT`
}

// takes reports whether a process's open files can be had.
func takes(pid string) string {
	return `perl -e '$p = syscall(434, $ARGV[0] + 0, 0); for (0..40) { exit 0 if syscall(438, $p, $_, 0) >= 0 } die' ` + pid + ` && echo GOT IT`
}

// elf32 is a program for 32 bits that makes s setuid.
const elf32 = `\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0` +
	`\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\160\0\0\0\160\0\0\0\5\0\0\0\0\20\0\0` +
	`\270\17\0\0\0\273\156\200\4\10\271\355\11\0\0\315\200\270\1\0\0\0\61\333\315\200s\0`

// clean removes what other attempts have left in the workspace.
const clean = `chmod 0700 . ; chmod -R u+rwX . ; rm -rf ./* ; `

// shares defines a function that fills so many megabytes of memory that processes share, by
// pieces, each of which it gives up before the next one.
const shares = `open Z, "/dev/zero"; sub share { my ($m) = @_; my $p = syscall({mmap}, 0, $m << 20, 3, 0x21, -1, 0); ` +
	`for my $i (0 .. $m / 8 - 1) { my $q = $p + ($i << 23); syscall({read}, fileno(Z), $q, 8 << 20) == 8 << 20 or die $!; syscall({madvise}, $q, 8 << 20, 4) } $p } `

var attempts = []attempt{
	// The server's files.
	{name: "read the database", command: header("{data}/fusebox.db")},
	{name: "read it by a relative path", command: header("../../fusebox.db")},
	{name: "read it through a symbolic link", command: `ln -s {data}/fusebox.db l; ` + header("l")},
	{name: "read it through a hard link", command: `ln {data}/fusebox.db h && echo GOT IT`},
	{name: "open the database for writing", command: `dd if=/dev/null of={data}/fusebox.db conv=notrunc,nocreat && echo GOT IT`},
	{name: "open its log for writing", command: `dd if=/dev/null of={data}/fusebox.db-wal conv=notrunc,nocreat && echo GOT IT`},
	{name: "put a file beside it", command: `: > {data}/planted`, leaves: "{data}/planted"},
	{name: "remove a file of the server", command: `rm -f {data}/victim && [ ! -e {data}/victim ] && echo GONE`, leaves: "!{data}/victim"},
	{name: "rename a file of the server", command: `mv {data}/victim2 {data}/moved && echo GOT IT`, leaves: "{data}/moved"},
	{name: "list the data folder", command: `ls {data} | grep -q fusebox.db && echo GOT IT`},
	{name: "change the database's mode", command: `chmod 600 {data}/fusebox.db && echo GOT IT`, landlock: true},
	{name: "change the database's time", command: `[ -e {data}/fusebox.db ] && touch -c -r . {data}/fusebox.db && echo GOT IT`, landlock: true},
	{name: "take the server's lock", command: `[ -e {data}/fusebox.lock ] && { flock -n {data}/fusebox.lock true; [ $? -lt 2 ]; } && echo GOT IT`},
	{name: "read the configuration", command: `grep -q secret {data}/fusebox.toml && echo GOT IT`},
	{name: "read another conversation's workspace", command: `grep -q secret ../other/secret.txt && echo GOT IT`},
	{name: "write into another workspace", command: `: > ../other/planted && echo GOT IT`, leaves: "{data}/workspaces/other/planted"},
	{name: "put a link in the workspace's place", command: `cd .. && mv c1 c2 && ln -s / c1 && echo GOT IT; rm -f c1; mv c2 c1`},
	{name: "read another conversation's outputs", command: `grep -q secret ../../outputs/other/k.txt && echo GOT IT`},
	{name: "add an admin with our own program", command: `[ -e {data}/fusebox.db ] && echo correct horse battery | FUSEBOX_TEST_PROGRAM=1 {self} user add --email e{n}@example.org --role admin --password-stdin -data {data} && echo GOT IT`},
	{name: "make a token with our own program", command: `[ -e {data}/fusebox.db ] && FUSEBOX_TEST_PROGRAM=1 {self} token new --user {admin} -data {data} && echo GOT IT`},
	{name: "enter a room without walls from inside", command: `{self} sandbox-entrance 'dir="/"' /bin/sh -c 'head -c 15 {data}/fusebox.db' 3>/dev/null | grep -q SQLite && echo GOT IT`},

	// Other files of the machine.
	{name: "read the server's home", command: `grep -q secret {base}/home/.ssh/id_test && echo GOT IT`},
	{name: "write the server's profile", command: `: >> {base}/home/.profile && echo GOT IT`},
	{name: "read the passwords' hashes", command: `grep -q root /etc/shadow && echo GOT IT`},
	{name: "change the list of users", command: `: >> /etc/passwd && echo GOT IT`},
	{name: "put a program among the system's", command: `: > /usr/local/bin/planted-{n} && rm /usr/local/bin/planted-{n} && echo GOT IT`},
	{name: "add a job for cron", command: `: > /etc/cron.d/planted-{n} && rm /etc/cron.d/planted-{n} && echo GOT IT`},
	{name: "add a service", command: `: > /etc/systemd/system/planted-{n}.service && rm /etc/systemd/system/planted-{n}.service && echo GOT IT`},
	{name: "leave a file in the common /tmp", command: `: > /tmp/planted-{n} && echo done`, leaves: "/tmp/planted-{n}"},
	{name: "leave a file in the common /dev/shm", command: `: > /dev/shm/planted-{n} && echo done`, leaves: "/dev/shm/planted-{n}"},
	{name: "make a disk's device", command: `mknod disk b 254 0 && rm disk && echo GOT IT`},
	{name: "read a disk", command: `for d in /dev/vda /dev/sda /dev/xvda /dev/nvme0n1; do head -c 1 $d >/dev/null && echo GOT IT && break; done`},
	{name: "read the kernel's log", command: `dmesg | grep -q . && echo GOT IT`},
	{name: "write a setting of the kernel", command: `v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" > /proc/sys/kernel/core_pattern && echo GOT IT`},
	{name: "open the kernel's emergency trigger", command: `( : >> /proc/sysrq-trigger ) && echo GOT IT`},
	{name: "make a control group", command: `for d in /sys/fs/cgroup /sys/fs/cgroup/pids; do mkdir $d/planted-{n} && rmdir $d/planted-{n} && echo GOT IT && break; done`},

	// Programs that whoever starts them runs as somebody else.
	{name: "make a program setuid", command: `: > s; chmod 4755 s; test -u s && echo GOT IT; rm -f s`},
	{name: "make a program setgid", command: `: > s; chmod g+s s; test -g s && echo GOT IT; rm -f s`},
	{name: "make a folder setgid", command: `mkdir s; chmod 2755 s; test -g s && echo GOT IT; rm -rf s`},
	{name: "make a program setuid by its descriptor", command: plants(`open(F, ">", "s") or die; syscall({fchmod}, fileno(F), 04755)`)},
	{name: "make it setuid by an older call", command: plants(`open(F, ">", "s") or die; syscall({chmod}, $s, 04755)`)},
	{name: "make it setuid by a newer call", command: plants(`open(F, ">", "s") or die; syscall(452, -100, $s, 06755, 0)`)},
	{name: "make it setuid by a call of the x32 interface", command: plants(`open(F, ">", "s") or die; syscall(0x40000000 | {chmod}, $s, 04755)`)},
	{name: "make it setuid by a program for 32 bits", command: `: > s; printf '` + elf32 + `' > p && chmod +x p && ./p; test -u s && echo GOT IT; rm -f s p`},
	{name: "create a setuid file", command: plants(`syscall({open}, $s, O_CREAT | O_RDWR, 04755)`)},
	{name: "create one in a folder", command: plants(`syscall({openat}, -100, $s, O_CREAT | O_EXCL | O_WRONLY, 06711)`)},
	{name: "create one by the oldest call", command: plants(`syscall({creat}, $s, 02755)`)},
	{name: "create one by the newest call", command: plants(`$how = pack("QQQ", O_CREAT | O_RDWR, 04755, 0); syscall(437, -100, $s, $how, 24)`)},
	{name: "create one without a name, and give it one", command: plants(`$d = "."; $f = syscall({openat}, -100, $d, O_RDWR | {tmpfile}, 04755); $p = "/proc/self/fd/$f"; syscall({linkat}, -100, $p, -100, $s, 0x400)`)},
	{name: "create one as a node", command: plants(`syscall({mknod}, $s, 0104755, 0)`)},
	{name: "create one as a node in a folder", command: plants(`syscall({mknodat}, -100, $s, 0102755, 0)`)},
	{name: "give a program capabilities", command: `: > s; ` + perl(`$s = "s"; $n = "security.capability"; $v = pack("V5", 0x02000001, 0x2000, 0, 0, 0); syscall({setxattr}, $s, $n, $v, 20, 0) == 0 or die $!`) + `; rm -f s`},

	// Processes.
	{name: "find the key in its own environment", command: `env | grep -q sk-of-the && echo GOT IT`},
	{name: "read the server's environment", command: `tr '\0' '\n' < /proc/{pid}/environ | grep -q sk-of-the && echo GOT IT`},
	{name: "read every environment there is", command: `cat /proc/[0-9]*/environ | grep -aq sk-of-the-server && echo GOT IT`},
	{name: "open the server's memory", command: `( : < /proc/{pid}/mem ) && echo GOT IT`},
	{name: "read the database through the server's root", command: header("/proc/{pid}/root{data}/fusebox.db")},
	{name: "read the database through the first process's root", command: header("/proc/1/root{data}/fusebox.db")},
	{name: "read the database through the supervisor's root", command: header("/proc/$PPID/root{data}/fusebox.db")},
	{name: "look at the server's open files", command: `ls -l /proc/{pid}/fd | grep -q fusebox.db && echo GOT IT`},
	{name: "inherit an open file", command: `ls -l /proc/self/fd | grep -v " [012] -> " | grep -q "pipe:\|socket:\|fusebox" && echo GOT IT`},
	{name: "see the server's command line", command: `tr '\0' ' ' < /proc/{pid}/cmdline | grep -q {self} && echo GOT IT`, landlock: true},
	{name: "trace the server", command: perl(`syscall({ptrace}, 0x4206, {pid}, 0, 0) == 0 or die $!`)},
	{name: "read the server's memory by a system call", command: perl(`$b="x" x 8; $l=pack("QQ", unpack("Q", pack("P", $b)), 0); $r=pack("QQ", 4096, 8); syscall({vmread}, {pid}, $l, 1, $r, 1, 0) >= 0 or $!{EFAULT} or die $!`)},
	{name: "take a descriptor of the server", command: takes("{pid}")},
	{name: "take a descriptor of its parent", command: takes("$PPID")},
	{name: "open what its parent has open", command: `perl -MFcntl -e 'for (glob "/proc/$ARGV[0]/fd/*") { exit 0 if m{(\d+)$} && $1 > 2 && sysopen(F, $_, O_WRONLY | O_NONBLOCK) } die' $PPID && echo GOT IT`},
	{name: "read what its parent has open", command: `perl -MFcntl -e 'for (glob "/proc/$ARGV[0]/fd/*") { exit 0 if m{(\d+)$} && $1 > 2 && sysopen(F, $_, O_RDONLY | O_NONBLOCK) && readline(F) } die' $PPID && echo GOT IT`},
	{name: "change the server's limits", command: sameLimits("{pid}")},
	{name: "change its parent's limits", command: sameLimits("$PPID")},
	{name: "change the server's priority", command: perl(`$! = 0; $n = getpriority(0, {pid}); $! and die; setpriority(0, {pid}, $n) or die`)},
	{name: "change the server's priority for the disk", command: perl(`syscall({ioprio_set}, 1, {pid}, 0) == 0 or die`)},
	{name: "bind the server to processors", command: perl(`$m = "\0" x 128; syscall({getaffinity}, {pid}, 128, $m) > 0 && syscall({setaffinity}, {pid}, 128, $m) == 0 or die`)},
	{name: "change how the server is scheduled", command: perl(`$p = pack("i", 0); syscall({setscheduler}, {pid}, 0, $p) == 0 or die`)},
	{name: "signal the server", command: `kill -0 {pid} && echo GOT IT`},
	{name: "kill the server", alone: true, command: `kill -9 {pid}`},
	{name: "stop the server", command: `kill -STOP {pid} && kill -CONT {pid} && echo GOT IT`},
	{name: "outlive the call in a session of its own", command: `setsid -f sleep {n}; :`, lives: true, alone: true},
	{name: "outlive it as a daemon that ignores signals", command: `(trap '' HUP TERM INT; setsid -f sh -c 'trap "" HUP TERM INT; sleep {n} & wait'); sleep 0.1`, lives: true, alone: true},
	{name: "outlive it by killing the supervisor", command: `setsid -f sleep {n}; kill -9 $PPID; sleep 0.3`, lives: true, alone: true},
	{name: "stop the supervisor", command: `kill -STOP $PPID && grep -q "State:.T" /proc/$PPID/status && echo GOT IT; kill -CONT $PPID`, alone: true},

	// More than its share. None of these harms a machine without limits.
	{name: "start hundreds of processes", alone: true, command: `i=0; while [ $i -lt 300 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; sleep 3` + got},
	{name: "write a huge file", alone: true, command: `truncate -s 10G huge && rm huge && echo GOT IT`},
	{name: "fill the disk with many files", alone: true, command: `for i in 1 2 3 4 5 6; do head -c 6M /dev/zero > f$i; done; sleep 3; rm f?` + got},
	{name: "fill it with files that have no name", alone: true, command: clean + perl(`for (1 .. 6) { open my $f, "+>", "u" or die; unlink "u"; print $f "x" x (6 << 20); $f->flush; push @f, $f } sleep 3`)},
	{name: "fill it in folders that cannot be read", alone: true, command: clean + `mkdir shut; chmod 0300 shut .; for i in 1 2 3 4 5 6; do head -c 6M /dev/zero > shut/f$i; done; sleep 3; chmod 0700 .; ` + clean + "true" + got},
	{name: "fill it below a path that is too long", alone: true, command: clean + perl(`$d = "d" x 200; for (1 .. 40) { mkdir $d; chdir $d or die } for (1 .. 6) { open F, ">", "f$_" or die; print F "x" x (6 << 20); close F } sleep 3`) + "; " + clean},
	{name: "fill the folder for temporary files", alone: true, command: `for i in 1 2 3 4 5 6; do head -c 6M /dev/zero > ${TMPDIR:-/tmp}/f$i-{n} || exit 1; done; sleep 3; rm ${TMPDIR:-/tmp}/f?-{n}` + got},
	{name: "take more memory than allowed", alone: true, command: perl(`$n = 800 << 20; $x = "x" x $n`)},
	{name: "take it in many processes", alone: true, command: `for i in 1 2 3 4 5; do perl -e '$n = 170 << 20; $x = "x" x $n; sleep 3' & done; wait` + got},
	{name: "take it in memory that it shares and gives up", alone: true, command: clean + perl(shares+`share(800); sleep 3`)},
	{name: "take it in memory that it hardly maps", alone: true, command: clean + perl(shares+`my $p = share(800); syscall({munmap}, $p + 4096, (800 << 20) - 4096); sleep 3`)},
	{name: "be as urgent as the server", command: `renice -n 0 -p $$ && [ "$(nice)" -le 0 ] && echo GOT IT`},
	{name: "take it in a file in memory", command: perl(`$n = "x"; syscall({memfd}, $n, 0) >= 0 or die $!`)},

	// The network.
	{name: "connect to the server's port", command: `bash -c ': > /dev/tcp/127.0.0.1/{port}' && echo GOT IT`},
	{name: "connect to it by the machine's own address", command: `bash -c ': > /dev/tcp/{lan}/{port}' && echo GOT IT`},
	{name: "ask a service over UDP", command: perl(`alarm 1; socket(S, PF_INET, SOCK_DGRAM, 0) or die; send(S, "x", 0, pack_sockaddr_in({port}, inet_aton("127.0.0.1"))) or die; recv(S, $x, 1, 0); $x eq "x" or die`)},
	{name: "connect to a socket in the common /tmp", command: perl(`socket(S, PF_UNIX, SOCK_STREAM, 0) or die; connect(S, pack_sockaddr_un("{base}/service.sock")) or die $!`)},
	{name: "connect to an abstract socket", command: perl(`socket(S, PF_UNIX, SOCK_STREAM, 0) or die; connect(S, pack_sockaddr_un("\0{abstract}")) or die $!`)},
	{name: "open a socket for packets", command: perl(`socket(S, 17, SOCK_RAW, 768) or die $!`)},
	{name: "open a socket to the host of the machine", command: perl(`socket(S, 40, SOCK_STREAM, 0) or die $!`)},

	// The walls themselves.
	{name: "make namespaces", command: `unshare -Urm true && echo GOT IT`},
	{name: "mount a folder of the machine", command: `mkdir -p m && mount --bind / m && umount m && echo GOT IT`},
	{name: "mount in a namespace of its own", command: `unshare -Urm sh -c 'mount -t tmpfs none /mnt' && echo GOT IT`},
	{name: "enter the server's namespaces", command: `nsenter -t {pid} -m head -c 15 {data}/fusebox.db | grep -q SQLite && echo GOT IT`},
	{name: "change the root", command: `/usr/sbin/chroot / true && echo GOT IT`},
	{name: "become root", command: `perl -e '$< = 0; $> = 0; $> == 0 && open(F, "<", "/etc/shadow") or die' && echo GOT IT`},
	{name: "have capabilities", command: `grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo GOT IT`},
	{name: "gain privileges by a program", command: `grep -q 'NoNewPrivs:.*0' /proc/self/status && echo GOT IT`},
	{name: "use the kernel's keys", command: perl(`syscall({keyctl}, 0, -3, 1, 0, 0) >= 0 or die $!`)},
	{name: "have the kernel make calls for it", command: perl(`$p = "\0" x 120; syscall(425, 1, $p) >= 0 or die $!`)},
}
