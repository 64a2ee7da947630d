package room

import (
	"os"
	"syscall"
)

func init() {
	if len(os.Args) < 3 {
		return
	}
	switch os.Args[1] {
	case Supervisor:
		syscall.Exit(supervise(readPlan(), os.Args[3:]))
	case Entrance:
		enter(readPlan(), os.Args[3:])
	case Checker:
		check()
	case Idler:
		_, _ = os.Stdin.Read(make([]byte, 1))
		syscall.Exit(0)
	}
}

func readPlan() (p Plan) {
	must("read the plan", decode(os.Args[2], p.fields()))
	return p
}

// exitFailed is the status of a room that could not be built.
const exitFailed = 125

// All processes here end by syscall.Exit: what a program does at its end takes a second
// under the race detector.

// report tells the server why a program did not start or was ended.
func report(sentence string) {
	_, _ = syscall.Write(ReportFD, []byte(sentence+"\n")) // a server that is gone asks no questions
}

func must(what string, err error) {
	if err != nil {
		report("The sandbox could not " + what + ": " + err.Error() + ".")
		syscall.Exit(exitFailed)
	}
}
