package servers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/must"
)

// Node is a machine of its own as far as its programs can tell: it has a network interface, a disk
// and processes that no other node sees. It consists of Linux namespaces, which only root can
// make and which vanish with their last process, however the tests end.
type Node struct {
	Name, Address string
	Dir           string // shared with this process: settings and logs
	Disk          string // a file system of limited size that only the node sees

	t     testing.TB
	wired *Node // the switch
	init  *process
}

// firstProcess is the script of a node's first process. It reaps the processes whose parent has ended,
// and all others are killed when it ends.
const firstProcess = `mount --make-rprivate / && mount -t proc proc /proc && ip link set lo up || exit 1
[ -z "$1" ] || mount -t tmpfs -o "size=$1,mode=0755,uid=$2" tmpfs disk || exit 1
touch ready
while :; do sleep 3600 & wait; done`

// Nodes starts machines with disks of a size like "300m", and a switch that connects them with each other
// and with this process. Their addresses belong to the range for tests of networks.
func Nodes(t testing.TB, n int, disk string) []*Node {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "root's right to make namespaces", "run the tests as root")
	}
	wires := newNode(t, "switch", "")
	subnet := rand.IntN(250) + 1
	host := fmt.Sprintf("octavo%d", subnet)
	system(t, "ip", "link", "add", host, "type", "veth", "peer", "name", "host", "netns", wires.pid())
	system(t, "ip", "address", "add", fmt.Sprintf("198.18.%d.1/24", subnet), "dev", host)
	system(t, "ip", "link", "set", host, "up")
	for _, args := range [][]string{{"add", "bridge", "type", "bridge"}, {"set", "bridge", "up"}, {"set", "host", "up", "master", "bridge"}} {
		wires.link(args...)
	}
	all := make([]*Node, n)
	for i := range all {
		m := newNode(t, "node"+strconv.Itoa(i+1), disk)
		m.wired, m.Address = wires, fmt.Sprintf("198.18.%d.%d", subnet, 11+i)
		wires.link("add", m.Name, "type", "veth", "peer", "name", "eth0", "netns", m.pid())
		wires.link("set", m.Name, "up", "master", "bridge")
		m.must("ip", "address", "add", m.Address+"/24", "dev", "eth0")
		m.must("ip", "link", "set", "eth0", "up")
		all[i] = m
	}
	return all
}

func newNode(t testing.TB, name, disk string) *Node {
	t.Helper()
	sh, dir := Need(t, "a shell", "apt-get install dash", "sh"), Dir(t)
	n := &Node{Name: name, Dir: dir, Disk: filepath.Join(dir, "disk"), t: t}
	owner := 0
	if as, err := Unprivileged(); err != nil {
		t.Fatal(err)
	} else if as != nil {
		owner = int(as.Uid)
	}
	must.Do(t, errors.Join(os.Mkdir(n.Disk, 0o755), os.Chown(dir, owner, -1)))
	attr := child.KillWithParent()
	attr.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	n.init = &process{path: sh, args: []string{"-c", firstProcess, "sh", disk, strconv.Itoa(owner)}, dir: dir, attributes: attr}
	n.init.start(t)
	t.Cleanup(n.init.kill)
	until(t, "a node", func() error { _, err := os.Stat(filepath.Join(dir, "ready")); return err })
	return n
}

func (n *Node) pid() string { return strconv.Itoa(n.init.cmd.Process.Pid) }

// enter returns the arguments of nsenter that run a program within the node.
func (n *Node) enter(program string, args ...string) []string {
	return append([]string{"-t", n.pid(), "-n", "-m", "-p", "-i", "--", program}, args...)
}

// Run runs a program within the node as root, and returns what it prints.
func (n *Node) Run(program string, args ...string) (string, error) {
	out, err := exec.Command("nsenter", n.enter(program, args...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s at %s: %w: %s", program, strings.Join(args, " "), n.Name, err, out)
	}
	return string(out), err
}

func (n *Node) must(program string, args ...string) {
	n.t.Helper()
	must.Get(n.Run(program, args...))(n.t)
}

// link changes the interfaces of the node from outside, where the numbers of processes are those of this process.
func (n *Node) link(args ...string) {
	n.t.Helper()
	system(n.t, "nsenter", append([]string{"-t", n.pid(), "-n", "--", "ip", "link"}, args...)...)
}

// CutOff drops everything that the node sends and gets, until heal is called. Its connections stay
// open, as if a cable were pulled.
func (n *Node) CutOff() (heal func()) {
	n.t.Helper()
	n.wired.link("set", n.Name, "down")
	return func() { n.wired.link("set", n.Name, "up") }
}

// CutOffFrom drops what the node sends to others, until heal is called. Everybody else reaches it.
func (n *Node) CutOffFrom(others ...*Node) (heal func()) {
	n.t.Helper()
	for _, o := range others {
		n.must("ip", "route", "add", "blackhole", o.Address+"/32")
	}
	return func() {
		for _, o := range others {
			n.must("ip", "route", "delete", "blackhole", o.Address+"/32")
		}
	}
}

// FillDisk leaves no byte of the disk free, until heal is called.
func (n *Node) FillDisk() (heal func()) {
	n.t.Helper()
	file := filepath.Join(n.Disk, "fill")
	_, _ = n.Run("dd", "if=/dev/zero", "of="+file, "bs=64k") // ends with an error: no space left
	return func() { n.must("rm", file) }
}

// Service is a program of a node that does not run as root.
type Service struct {
	node *Node
	name string
	process
}

// Service prepares a program; its output goes to a file in Dir.
func (n *Node) Service(name string, argv ...string) *Service {
	n.t.Helper()
	script := `echo $$ >"$0.pid"; exec "$@" >>"$0.log" 2>&1`
	args := append([]string{"-c", script, filepath.Join(n.Dir, name)}, argv...)
	enter := n.enter("sh", args...)
	if as, err := Unprivileged(); err != nil {
		n.t.Fatal(err)
	} else if as != nil {
		enter = append([]string{"-S", strconv.Itoa(int(as.Uid)), "-G", strconv.Itoa(int(as.Gid))}, enter...)
	}
	s := &Service{node: n, name: name, process: process{path: Need(n.t, "nsenter", "apt-get install util-linux", "nsenter"), args: enter, dir: n.Dir}}
	n.t.Cleanup(func() {
		if log, err := os.ReadFile(filepath.Join(n.Dir, name+".log")); err == nil && n.t.Failed() {
			n.t.Logf("the log of %s at %s:\n%s", name, n.Name, log[max(0, len(log)-6000):])
		}
	})
	return s
}

// Start starts the program.
func (s *Service) Start() {
	s.node.t.Helper()
	s.start(s.node.t)
}

// Kill ends the program with SIGKILL. What it has started lives on.
func (s *Service) Kill() {
	s.node.t.Helper()
	s.node.KillFile(filepath.Join(s.node.Dir, s.name+".pid"))
	<-s.ended
}

// KillFile ends the process whose number is in the first line of a file with SIGKILL.
func (n *Node) KillFile(path string) {
	n.t.Helper()
	n.must("sh", "-c", `kill -9 "$(head -n 1 "$0")"`, path)
}

func system(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
}
