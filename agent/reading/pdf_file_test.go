package reading_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/reading"
)

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pdfFile is a PDF of one font that a test writes.
type pdfFile struct {
	pages  []string // what is drawn on each
	font   string   // Helvetica, unless it says another
	page   string   // more keys of each page
	trees  string   // the page tree, unless it holds the pages only
	info   string
	more   []string // objects 5 and on
	lock   string   // the password that opens it; an owner's is always set where this or owner is
	owner  bool
	behind string // keys of the trailer
}

// say draws a line of text in 12 points, after operators that come first.
func say(y int, text string, first ...string) string {
	return fmt.Sprintf("q %s BT /F1 12 Tf 60 %d Td (%s) Tj ET Q\n", strings.Join(first, " "), y, text)
}

func stream(keys, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", keys, len(content), content)
}

// bytes writes the file. The objects are the catalogue, the page tree, the font, what the file
// says of itself, more, and the contents and the dictionary of each page.
func (f pdfFile) bytes() []byte {
	first := 5 + len(f.more)
	var kids strings.Builder
	for i := range f.pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i+1)
	}
	or := func(text, other string) string {
		if text == "" {
			return other
		}
		return text
	}
	tree := or(f.trees, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(f.pages), kids.String()))
	objects := append([]string{"<</Type/Catalog/Pages 2 0 R>>", tree, or(f.font, helvetica), "<<" + f.info + ">>"}, f.more...)
	var key []byte
	if f.owner || f.lock != "" {
		var encrypt string
		key, encrypt = lockedWith(f.lock)
		f.behind += "/ID[<" + strings.Repeat("00", 16) + "><" + strings.Repeat("00", 16) + ">]/Encrypt " + encrypt
	}
	for i, content := range f.pages {
		objects = append(objects, stream("", encrypted(key, first+2*i, content)), fmt.Sprintf(
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>/XObject<</X 5 0 R>>/ExtGState<</Clear<</ca 0>>>>>>/Contents %d 0 R%s>>",
			first+2*i, f.page))
	}
	return written(objects, "/Info 4 0 R"+f.behind)
}

// written is a file of objects, with the table that says where they are.
func written(objects []string, trailer string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.5\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF",
		len(objects)+1, table.String(), len(objects)+1, strings.ReplaceAll(trailer, "HERE", fmt.Sprint(at)), at)
	return file.Bytes()
}

// lockedWith is the key of a file with a password and with an owner's, and what the file
// says of them: RC4 with 40 bits, the oldest way and the shortest.
func lockedWith(password string) (key []byte, encrypt string) {
	pad := []byte("\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a")
	padded := func(word string) []byte { return append([]byte(word), pad...)[:32] }
	sum := md5.Sum(padded("the owner's"))
	owner := rc4ed(sum[:5], padded(password))
	rights := ^uint32(0b11_1100) // no printing, copying, or changing
	seed := append(padded(password), owner...)
	seed = binary.LittleEndian.AppendUint32(seed, rights)
	sum = md5.Sum(append(seed, make([]byte, 16)...))
	key = sum[:5]
	return key, fmt.Sprintf("<</Filter/Standard/V 1/R 2/O<%x>/U<%x>/P %d>>", owner, rc4ed(key, pad), int32(rights))
}

// encrypted is the content of an object, as it is where there is no key.
func encrypted(key []byte, object int, content string) string {
	if key == nil {
		return content
	}
	sum := md5.Sum(append(bytes.Clone(key), byte(object), byte(object>>8), 0, 0, 0))
	return string(rc4ed(sum[:10], []byte(content)))
}

func rc4ed(key, text []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(text))
	c.XORKeyStream(out, text)
	return out
}

// readPDF reads a file with the programs that this machine has.
func readPDF(t *testing.T, file []byte) agent.Reading {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Fatal("PDFs are read with poppler: install the packages poppler-utils and poppler-data")
	}
	return reading.Read(agenttest.Context(t), "file.pdf", bytes.NewReader(file), int64(len(file)), reading.Options{})
}
