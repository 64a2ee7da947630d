// Package static holds the style sheets, the script modules and the icons that
// the pages load. It is data only: it imports nothing but embed, and only web
// serves it.
package static

import "embed"

// FS holds the assets under css, js and icons.
//
//go:embed css js icons
var FS embed.FS
