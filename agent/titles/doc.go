// Package titles names chats: a small model is asked once, beside the first answer, and a
// chat whose model does not answer in time keeps the first words of its message. It must not
// import the loop, the store, or the web.
package titles
