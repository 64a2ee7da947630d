package e2e

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
)

// uploadLines is how many lines a file has that is uploaded: enough that a kill may come
// in between.
const uploadLines = 8_000

// acknowledgedFile is an acknowledged upload.
type acknowledgedFile struct{ Path, job string }

// uploadOf is the content of the file that is uploaded for a job.
func uploadOf(job string) []byte { return bytes.Repeat([]byte(job+"\n"), uploadLines) }

// upload sends a file until it is acknowledged.
func (t *talk) upload(job string) bool {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "upload of "+job+".csv")
	if err == nil {
		_, err = part.Write(uploadOf(job))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.o.t.Error(err)
	}
	status, answer, ok := t.o.insistAs(form.FormDataContentType(), t.name, http.MethodPost, "/api/v1/conversations/"+t.id+"/files", body.Bytes())
	if !ok {
		return false
	}
	done := acknowledgedFile{job: job}
	if err := json.Unmarshal(answer, &done); err != nil || status != http.StatusCreated {
		t.o.t.Errorf("%s: the upload was answered with %d %s", t.id, status, answer)
		return false
	}
	t.mu.Lock()
	t.uploads = append(t.uploads, done)
	t.mu.Unlock()
	return true
}

// edit sends another message in the place of the newest one.
func (t *talk) edit(content string) bool {
	status, answer, ok := t.o.insist(t.name, http.MethodGet, "/api/v1/conversations/"+t.id+"/messages", nil)
	if !ok {
		return false
	}
	var list struct {
		Items []struct{ Role, ParentID string }
	}
	if err := json.Unmarshal(answer, &list); err != nil || status != http.StatusOK {
		t.o.t.Errorf("%s: the messages are %d %s", t.id, status, answer)
		return false
	}
	parent := ""
	for _, m := range list.Items {
		if m.Role == "user" {
			parent = m.ParentID
		}
	}
	t.mu.Lock()
	t.edits++
	t.mu.Unlock()
	return t.say(content, parent)
}

// checkUploads wants each file that was acknowledged, whole, below a data folder, and
// no other one of which a part is missing.
func (t *talk) checkUploads(data string, uploads []acknowledgedFile, sum *tally) {
	space := filepath.Join(data, "workspaces", t.id)
	for _, u := range uploads {
		sum.uploads++
		if got, err := os.ReadFile(filepath.Join(space, u.Path)); err != nil || !bytes.Equal(got, uploadOf(u.job)) {
			sum.lost++
			t.o.t.Errorf("%s: the upload %s has %d bytes, %v", t.id, u.Path, len(got), err)
		}
	}
	all, err := filepath.Glob(filepath.Join(space, "upload of *"))
	if err != nil {
		t.o.t.Error(err)
	}
	for _, name := range all {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, uploadOf(jobIn.FindString(name))) {
			sum.torn++
			t.o.t.Errorf("%s: %s has %d bytes of %d, %v", t.id, filepath.Base(name), len(got), len(uploadOf(jobIn.FindString(name))), err)
		}
	}
}
