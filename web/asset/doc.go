// Package asset serves the embedded static files under addresses that change
// with their content.
package asset
