package agent

import (
	"slices"
	"strconv"
	"time"
)

// DocumentState is how far a document is. The first three are promised by the API.
type DocumentState string

// The states of documents.
const (
	DocumentReading DocumentState = "reading" // waits to be read, or is
	DocumentReady   DocumentState = "ready"   // its text can be searched and read
	DocumentFailed  DocumentState = "failed"  // there is no text; Problem says why
)

// DocumentProblem is why a file has no text.
type DocumentProblem string

// The problems of files.
const (
	ProblemEmpty       DocumentProblem = "empty"          // a file without any text
	ProblemScan        DocumentProblem = "scan"           // its pages are pictures
	ProblemLocked      DocumentProblem = "locked"         // it opens with a password only
	ProblemBroken      DocumentProblem = "broken"         // it is not whole, or not what its format demands
	ProblemUnreadable  DocumentProblem = "unreadable"     // what came out is not text: signs without a meaning
	ProblemTooLarge    DocumentProblem = "too_large"      // unpacked, or as text, it is more than is read
	ProblemUnsupported DocumentProblem = "unsupported"    // a type that is not read
	ProblemStopped     DocumentProblem = "reader_stopped" // the reader was ended each time: time, memory, or a crash
	ProblemNoReader    DocumentProblem = "no_reader"      // what reads its type is not installed on the server
	ProblemDuplicate   DocumentProblem = "duplicate"      // the person has the same file already, and has not said what to do
	ProblemLost        DocumentProblem = "lost"           // its file is missing on the server
)

// DocumentType is what a file is, as its bytes say; its name is a hint among texts only.
type DocumentType string

// The types that are read.
const (
	TypeText     DocumentType = "text"
	TypeCode     DocumentType = "code"
	TypeMarkdown DocumentType = "markdown"
	TypeHTML     DocumentType = "html"
	TypeCSV      DocumentType = "csv"
	TypePDF      DocumentType = "pdf"
	TypeWord     DocumentType = "docx"
	TypeExcel    DocumentType = "xlsx"
	TypeSlides   DocumentType = "pptx"
	TypeBook     DocumentType = "epub"
)

// Reading is what was read of a file.
type Reading struct {
	Type DocumentType `json:"type,omitempty"`
	// Problem is why there is no text.
	Problem DocumentProblem `json:"problem,omitempty"`
	Title   string          `json:"title,omitempty"`
	Tags    []string        `json:"tags,omitempty"`
	// Encoding is that of a text that is not in UTF-8, Separator what is between the fields of a table.
	Encoding  string `json:"encoding,omitempty"`
	Separator string `json:"separator,omitempty"`
	// Pages are as many as were seen, slides and sheets too.
	Pages int `json:"pages,omitempty"`
	// Text is all of it, in valid UTF-8. Sections lie in it one after the other.
	Text     string        `json:"text,omitempty"`
	Sections []Section     `json:"sections,omitempty"`
	Notes    []ReadingNote `json:"notes,omitempty"`
}

// ReadingChoice is what a person says of how a text is to be read. What is "" is found.
type ReadingChoice struct {
	// Encoding and Separator are as those of a Reading; Encoding may be UTF-8, too.
	Encoding, Separator string
}

// Section is a part of a text with a place of its own: what stands under one heading on
// one page.
type Section struct {
	// Start and End are bytes of the Reading's text, without the heading.
	Start int `json:"start"`
	End   int `json:"end"`
	// Headings lead to it, the outermost first.
	Headings []string    `json:"headings,omitempty"`
	Kind     SectionKind `json:"kind,omitempty"`
	// Page counts pages, slides, or sheets from 1; Label is the number that is printed on
	// the page where it is another, or the name of the sheet.
	Page  int    `json:"page,omitempty"`
	Label string `json:"label,omitempty"`
	// Line is the first line of a text file, or the first row of a sheet, from 1.
	Line int `json:"line,omitempty"`
	// Head is the row of a table that says what its columns are: one line, and part of
	// the text between Start and End too where it stands there.
	Head string `json:"head,omitempty"`
}

// Place is where a section is, in a form that is the same in all languages: p. 3 of a page, # 3
// of a slide, the name of a sheet with its first row, the last heading of all else.
func (s Section) Place(t DocumentType) string {
	switch {
	case t == TypePDF && s.Page > 0:
		place := "p. " + strconv.Itoa(s.Page)
		if s.Label != "" {
			place = "p. " + s.Label + " (" + strconv.Itoa(s.Page) + ")"
		}
		return place
	case t == TypeSlides && s.Page > 0:
		return "# " + strconv.Itoa(s.Page)
	case t == TypeExcel:
		return s.Label + ":" + strconv.Itoa(s.Line)
	case len(s.Headings) > 0:
		return s.Headings[len(s.Headings)-1]
	}
	return ""
}

// SectionKind is what a section is where it is not plain text.
type SectionKind string

// The kinds of sections.
const (
	KindTable    SectionKind = "table"    // one row a line, cells between " | "
	KindCode     SectionKind = "code"     // lines that stay together
	KindNote     SectionKind = "note"     // notes of a speaker, footnotes
	KindComment  SectionKind = "comment"  // comments that reviewers left in the margin
	KindMargin   SectionKind = "margin"   // headers and footers of pages, once
	KindProperty SectionKind = "property" // title, tags, and dates that the file says of itself
	KindHidden   SectionKind = "hidden"   // what people do not see; it is shown marked and not searched
)

// ReadingNote is something that people should know about how a file was read.
type ReadingNote struct {
	Code NoteCode `json:"code"`
	// Pages are those that it is about, Name a name or a value.
	Pages []int  `json:"pages,omitempty"`
	Name  string `json:"name,omitempty"`
	Count int    `json:"count,omitempty"`
}

// NoteCode says what a note tells.
type NoteCode string

// The notes.
const (
	NoteNoText    NoteCode = "no_text"   // Pages have none: pictures
	NoteType      NoteCode = "type"      // the name says another type than Name, which the bytes are
	NoteHidden    NoteCode = "hidden"    // Count runs of text, on Pages, are not seen by people and were left out
	NoteUnchecked NoteCode = "unchecked" // it could not be checked whether all text is seen
	NoteCut       NoteCode = "cut"       // only the first part was read
	NoteBroken    NoteCode = "broken"    // Pages, or the part Name, could not be read; the rest was
	NotePassword  NoteCode = "password"  // the password that was given does not open it
	NoteUnclear   NoteCode = "unclear"   // Count characters of Pages are signs without a meaning and were left out
)

// Passage is a piece of a document that is found as one.
type Passage struct {
	// Start and End are bytes of the document's text.
	Start, End int
	// Section is the index of the section that it is of.
	Section int
}

// Document is a file that agents may search and read for those to whom its collection is open: its newest version, or
// the one that was asked for.
type Document struct {
	ID string
	// UserID is the owner of its collection. CollectionID is the owner's id where it is in none,
	// AddedBy the id of the person who added this version.
	UserID, CollectionID, AddedBy string
	// Right is what the viewer may do with it.
	Right Right
	Name  string
	// Version counts from 1 with each file that took the place of the one before. Answers
	// is the version that is searched and read, 0 for none: until a new one has been read,
	// the one before answers.
	Version, Answers int
	State            DocumentState
	Bytes            int64
	// Hash is the SHA-256 of the bytes in hex.
	Hash string
	// File is the name under which the bytes are kept.
	File string
	// DuplicateOf is, as long as nobody has decided what to do with the same file, the document
	// that has it already.
	DuplicateOf string
	// Choice is how this version is to be read.
	Choice ReadingChoice
	// Reading is what was read of it: without its text, see Store.DocumentText.
	Reading Reading
	// CreatedAt is when the first version came, AddedAt when this one did.
	CreatedAt, AddedAt time.Time
	// Tries is how many times this version was begun to be read.
	Tries int
}

// IsNote reports whether a document is short text, which people edit in place.
func (d Document) IsNote() bool {
	return d.Bytes <= MaxNoteBytes && d.Reading.Encoding == "" && (d.Reading.Type == TypeMarkdown || d.Reading.Type == TypeText)
}

// TakesChoice reports whether people can say how a version is to be read: it is written in some
// encoding.
func (d Document) TakesChoice() bool {
	return slices.Contains([]DocumentType{TypeText, TypeCode, TypeMarkdown, TypeCSV}, d.Reading.Type)
}

// TakesPassword reports whether a password may open the file of a version, which is locked.
func (d Document) TakesPassword() bool {
	return d.Reading.Problem == ProblemLocked && d.Reading.Type == TypePDF
}

// Separators are those that people can choose for tables.
func Separators() []string { return []string{",", ";", "\t", "|"} }

// MaxPassword is how many bytes the password of a file has at most, as PDFs have it.
const MaxPassword = 127

// The bounds of documents.
const (
	MaxDocumentBytes = 50 << 20 // of one file
	MaxDocuments     = 20_000   // of a person
	MaxDocumentName  = 120      // characters
	MaxNoteBytes     = 64 << 10 // of a note, which is written in place
	// MaxDocumentSpace is how many bytes the files of a person have with all their versions.
	MaxDocumentSpace    = 20 << 30
	MaxDocumentVersions = 100
	// MaxReadTries is how many times a file is begun to be read: one that ends its
	// reader each time does not come back for ever.
	MaxReadTries = 3
)

// DocumentCounts are how many documents a person has.
type DocumentCounts struct {
	All int
	// Reading wait to be read or are being read; Searched have a version that answers; of Failed
	// the newest version has no text.
	Reading, Searched, Failed int
}

// Found is a passage that answers a question.
type Found struct {
	PassageID, DocumentID string
	// Name is that of the document.
	Name string
	// Start and End are bytes of the text of the document's Version.
	Version, Start, End int
	// Place is where it is, as people say it: see Section.Place.
	Place string
	// Headings lead to the passage, the outermost first. Head is the row that says what the
	// columns of a table are, unless Text has it.
	Headings []string
	Head     string
	Text     string
	// Score has a meaning among the answers to one question only.
	Score float64
	// More is the number of other passages that say nearly the same.
	More int
	// Marks are the bytes of Text that share terms with the question.
	Marks [][2]int
}
