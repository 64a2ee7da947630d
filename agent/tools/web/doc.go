// Package web has the tools that search the web and read its pages.
//
// A search asks the configured service. A page is fetched by a client that refuses private
// networks, only where its site's robots.txt allows it, and becomes readable markdown.
// Nothing here keeps cookies or sends anything but the address.
//
// It imports the packages agent, lru, safehttp, and sources, and no other of ours.
package web
