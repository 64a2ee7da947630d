package reading

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

const (
	sampleSize = 64 << 10 // bytes that tell what a file is
	pdfWithin  = 1024     // bytes that may be in front of a PDF
	sectorSize = 512      // of the containers of old office files
)

var (
	pdfObject = regexp.MustCompile(`\d\s+\d+\s+obj\b`)
	// htmlStart takes over a millisecond to compile, and most processes read no file.
	htmlStart = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?is)^\s*(<\?xml[^>]{0,200}>\s*)?(<!--.{0,1000}?-->\s*)?<(!doctype\s+html|html)\b`)
	})
)

// detect says what a file is. Its bytes decide; its name is a hint among texts.
func detect(in input) (agent.DocumentType, agent.DocumentProblem) {
	sample, err := in.head(sampleSize)
	switch {
	case err != nil:
		return "", agent.ProblemBroken
	case len(sample) == 0:
		return "", agent.ProblemEmpty
	case isPDF(sample):
		return agent.TypePDF, ""
	case bytes.HasPrefix(sample, []byte("PK\x03\x04")), bytes.HasPrefix(sample, []byte("PK\x05\x06")):
		return typeOfArchive(in)
	case bytes.HasPrefix(sample, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return typeOfContainer(in, sample)
	}
	text, ok := encoded.Read(string(sample), in.size > int64(len(sample)))
	if isPrint(sample) || bytes.IndexByte(sample, 0) >= 0 && !strings.HasPrefix(text.Encoding(), "UTF-16") {
		return "", agent.ProblemUnsupported
	}
	if ok {
		return typeOfText(in.name, text.Content), ""
	}
	if kind := http.DetectContentType(sample); kind != "application/octet-stream" && !strings.HasPrefix(kind, "text/") {
		return "", agent.ProblemUnsupported
	}
	return typeOfText(in.name, string(sample)), ""
}

// isPDF finds the mark of a PDF at the beginning, or further on where the objects of one follow.
func isPDF(sample []byte) bool {
	at := bytes.Index(sample[:min(pdfWithin, len(sample))], []byte("%PDF"))
	return at == 0 || at > 0 && pdfObject.Match(sample[at:])
}

// isPrint finds programs for printers and word processors, which are texts only to look at.
func isPrint(sample []byte) bool {
	return bytes.HasPrefix(sample, []byte(`{\rtf`)) || bytes.HasPrefix(sample, []byte("%!PS-Adobe"))
}

// typeOfContainer tells old office files, which are not read, from new ones with a password:
// those are in the same container.
func typeOfContainer(in input, sample []byte) (agent.DocumentType, agent.DocumentProblem) {
	const firstSector = 48 // where the header says which sector the directory begins in
	is, _ := TypeOfName(in.name)
	if is == "" || len(sample) < sectorSize {
		return "", agent.ProblemUnsupported
	}
	directory := make([]byte, 8*sectorSize)
	at := sectorSize * (1 + int64(binary.LittleEndian.Uint32(sample[firstSector:])))
	n, _ := in.file.ReadAt(directory, at)
	if bytes.Contains(directory[:n], []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
		return is, agent.ProblemLocked
	}
	return "", agent.ProblemUnsupported
}

// typeOfText says what kind of text begins so.
func typeOfText(name, text string) agent.DocumentType {
	is, _ := TypeOfName(name)
	isText := is == agent.TypeText || is == agent.TypeMarkdown || is == agent.TypeCSV || is == agent.TypeCode || is == agent.TypeHTML
	switch {
	case is == agent.TypeCode:
		return is
	case htmlStart().MatchString(text), !isText && strings.HasPrefix(http.DetectContentType([]byte(text)), "text/html"):
		return agent.TypeHTML
	case separatorLine.MatchString(text):
		return agent.TypeCSV
	case isText:
		return is
	}
	return agent.TypeText
}
