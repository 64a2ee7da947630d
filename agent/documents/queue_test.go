package documents_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fusebox/agent"
	"fusebox/agent/documents"
)

// fullDisk is a queue of one document whose database has no room until some time has passed.
type fullDisk struct {
	file  string
	until time.Time
	tries int
	read  chan int
}

func (s *fullDisk) full() error {
	if time.Now().Before(s.until) {
		return agent.Errorf(agent.Full, "The disk with the database is full.")
	}
	return nil
}

func (s *fullDisk) BeginReading(_ context.Context, except []string) (agent.Document, error) {
	if len(except) > 0 || s.tries < 0 {
		return agent.Document{}, agent.Errorf(agent.NotFound, "None waits.")
	}
	s.tries++
	return agent.Document{ID: "d", File: s.file, Tries: s.tries}, nil
}

func (s *fullDisk) UncountTry(context.Context, agent.Document) error {
	if err := s.full(); err != nil {
		return err
	}
	s.tries--
	return nil
}

func (s *fullDisk) FinishReading(_ context.Context, d agent.Document, _ []agent.Passage) error {
	if err := s.full(); err != nil {
		return err
	}
	s.tries = -1
	if d.State != agent.DocumentReady {
		d.Tries = -1 // the document is to blame
	}
	s.read <- d.Tries
	return nil
}

type plain struct{}

func (plain) Read(context.Context, agent.Document, string, *os.File) (agent.Reading, error) {
	return agent.Reading{Type: agent.TypeText, Text: "Pump 7"}, nil
}

// TestFullDiskIsNoFault: a document whose text cannot be kept since the disk is full waits, and
// is read once there is room, however long that takes: no try is counted.
func TestFullDiskIsNoFault(t *testing.T) {
	t.Parallel()
	shelf, err := documents.OpenShelf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := shelf.Receive(strings.NewReader("Pump 7"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &fullDisk{file: kept.File, until: time.Now().Add(time.Hour), read: make(chan int)}
		q := documents.Queue{Store: s, Shelf: shelf, Reader: plain{}, Parallel: 1, Clock: agent.SystemClock{}, Log: slog.New(slog.DiscardHandler)}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			q.Run(ctx)
		}()
		if tries := <-s.read; tries != 1 {
			t.Errorf("%d tries are counted", tries)
		}
		stop()
		<-ended
	})
}
