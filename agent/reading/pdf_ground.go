package reading

import (
	"fmt"
	"io"
	"strconv"
)

const (
	groundSide  = 1000 // pixels of the longer side of a page
	groundLook  = 100  // pixels of a place that are looked at along each side
	groundAlike = 12   // by which a channel of two colours may differ that nobody tells apart
)

// ground is a page as people see it.
type ground struct {
	scale         float64 // pixels of a point
	width, height int
	pixels        []byte // red, green, blue
}

// paint makes a picture of a page, or nil where that is not possible.
func paint(start starter, path string, page *pdfPage) *ground {
	number := strconv.Itoa(page.number)
	p, err := start("pdftoppm", "-q", "-f", number, "-l", number, "-cropbox", "-scale-to", strconv.Itoa(groundSide), path)
	if err != nil {
		return nil
	}
	defer p.stop()
	g := ground{scale: groundSide / max(page.width, page.height)}
	if _, err = fmt.Fscanf(p.out, "P6\n%d %d\n255\n", &g.width, &g.height); err != nil || min(g.width, g.height) < 1 || max(g.width, g.height) > groundSide+1 {
		return nil
	}
	g.pixels = make([]byte, 3*g.width*g.height)
	if _, err = io.ReadFull(p.out, g.pixels); err != nil {
		return nil
	}
	return &g
}

// like reports whether a place has hardly a pixel in another colour than this one. The upper
// and the lower edge are left out, into which neighbours reach.
func (g *ground) like(b box, color [3]uint8) (like, ok bool) {
	if g == nil {
		return false, false
	}
	edge := b.height() / 4
	left, right := g.within(b.left, g.width), g.within(b.right, g.width)
	top, bottom := g.within(b.top+edge, g.height), g.within(b.bottom-edge, g.height)
	down, along := 1+(bottom-top)/groundLook, 1+(right-left)/groundLook
	other, all := 0, 0
	for y := top; y <= bottom; y += down {
		for x := left; x <= right; x += along {
			all++
			if pixel := g.pixels[3*(y*g.width+x):]; differ(pixel[0], color[0]) || differ(pixel[1], color[1]) || differ(pixel[2], color[2]) {
				other++
			}
		}
	}
	return 5*other < all, true
}

// within is the pixel of a place.
func (g *ground) within(points float64, size int) int {
	return min(max(int(points*g.scale), 0), size-1)
}

func differ(a, b uint8) bool { return max(a, b)-min(a, b) > groundAlike }
