// Package vectors has passages of documents and questions embedded by a model, so that
// passages are found that say the same in other words, or in another language. It must import
// neither the store nor the web.
package vectors
