// Package styleguide shows every part of the pages in every state: on a page of its
// own, and to the tests, which compare each with its HTML.
package styleguide
