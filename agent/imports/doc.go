// Package imports takes many files at once to be documents of a person: folders, archives, vaults of
// notes, exports, and bookmarks. What arrives is kept as one file; a queue that survives
// the process unpacks it, and remembers which document each path has become.
//
// It imports agent and packages that read files, and no database.
package imports
