package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif"  // sizes are read
	_ "image/jpeg" // as above
	_ "image/png"  // as above
	"net/http"

	"fusebox/agent"
)

// maxPixels bounds a picture as it is unpacked, wherever it is shown.
const maxPixels = 50_000_000

// extensions are the types of pictures that are shown; nothing in them is run.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}

// TypeOf is the type of a picture that can be shown, by how it begins; "" for anything else.
func TypeOf(start []byte) string {
	kind := http.DetectContentType(start)
	if extensions[kind] == "" {
		return ""
	}
	return kind
}

// Roll collects the pictures of one result.
type Roll struct{ Images []agent.Image }

// Add takes a picture in and returns the line that stands for it, "" where it is none that
// can be shown.
func (r *Roll) Add(data []byte) string {
	kind := TypeOf(data)
	pixels, whole := pixels(data)
	if kind == "" || !whole && kind != "image/webp" { // whose heads are not read
		return ""
	}
	line := "[" + kind + ", " + Size(int64(len(data))) + ", "
	switch {
	case len(data) > agent.MaxImageBytes:
		return line + "not shown: it is larger than " + Size(agent.MaxImageBytes) + "]"
	case pixels > maxPixels:
		return line + "not shown: it has too many pixels]"
	case len(r.Images) == agent.MaxImages:
		return line + fmt.Sprintf("not shown: a result may have %d images]", agent.MaxImages)
	}
	sum := sha256.Sum256(data)
	r.Images = append(r.Images, agent.Image{
		Name: hex.EncodeToString(sum[:16]) + extensions[kind], Type: kind, Bytes: int64(len(data)), Data: data,
	})
	return line + "shown to the person]"
}

// pixels is how many a picture has; false where its head does not say.
func pixels(data []byte) (n int, ok bool) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	return head.Width * head.Height, err == nil
}

// Size says how large something is.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1<<9)>>10)
	default:
		return fmt.Sprintf("%.4g MB", float64(n)/(1<<20))
	}
}
