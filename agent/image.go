package agent

// Image is a picture in a tool's result. Its bytes are a file beside the kept outputs of
// its run.
type Image struct {
	// Name is that of the file. It is made of what is in it: the same picture is one file.
	Name  string `json:"name"`
	Type  string `json:"type"` // such as image/png, by what is in it
	Bytes int64  `json:"bytes"`
	// Data is the picture on its way from its tool; it is in no row.
	Data []byte `json:"-"`
}

// Bounds of the pictures of one result. Endpoints take about 5 MB of base64.
const (
	MaxImages     = 8
	MaxImageBytes = 3 << 20
)

// ImageNames tell results apart whose texts say the same of other pictures; "" for none.
func ImageNames(images []Image) (names string) {
	for _, img := range images {
		names += " " + img.Name
	}
	return names
}
