// Package page shows the HTML pages and takes their forms, one file a page. A
// form that is refused comes back with everything that was typed and the errors
// at their fields.
//
// It never imports web/api: what both need is a command of the service or a
// view of web/present.
package page
