package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"fusebox/agent"
)

// archiveTable is the table of SQLite archives (https://www.sqlite.org/sqlar.html), so
// that sqlite3 -A reads the files of a backup too: data is compressed by zlib, or as it
// is where that is no shorter. The size of a symbolic link is -1, its data where it leads.
const archiveTable = `CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)`

// Kinds of entries, as the mode of an archive has them beside the permissions. Backups
// of earlier versions have permissions alone, of regular files.
const (
	modeKind   = 0o170000
	modeFolder = 0o040000
	modeFile   = 0o100000
	modeLink   = 0o120000
)

// archive puts files into a copy of a database, and notes what it left out.
func archive(ctx context.Context, database string, files Files, made *agent.Backup) (err error) {
	db, err := private(database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, archiveTable); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	a := archiver{made: made, add: func(ctx context.Context, e entry) (bool, error) { return addRow(ctx, tx, e) }}
	for _, folder := range files.Folders {
		if err := a.folder(ctx, files.Root, folder, folder, 0); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// addRow adds an entry, unless there is one with its name: file systems may list a file
// twice that is replaced meanwhile. What has been added first stays: a link in the place
// of a folder could not be restored, whose files are there already.
func addRow(ctx context.Context, tx *sql.Tx, e entry) (added bool, err error) {
	mode, size, data := int64(e.info.Mode().Perm()), int64(len(e.content)), []byte(nil)
	switch {
	case e.info.IsDir():
		mode |= modeFolder
	case e.info.Mode().IsRegular():
		mode |= modeFile
		data = compressed(e.content)
	default:
		mode |= modeLink
		size, data = -1, []byte(e.target)
	}
	res, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO sqlar (name, mode, mtime, sz, data) VALUES ($1, $2, $3, $4, $5)`,
		e.name, mode, e.info.ModTime().Unix(), size, data)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// compressed is what the archive keeps of a content.
func compressed(content []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(content)
	if err = errors.Join(err, w.Close()); err != nil || b.Len() >= len(content) {
		return content
	}
	return b.Bytes()
}

// expanded is the content that compressed was given.
func expanded(data []byte, size int64) ([]byte, error) {
	if int64(len(data)) == size {
		return data, nil
	}
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, size+1))
	if err == nil && int64(len(content)) != size {
		err = fmt.Errorf("it has another size than %d bytes", size)
	}
	return content, err
}

// unpack writes the files of a backup below a folder, which none of their names can
// leave, and takes them out of the database. It returns how many files there were.
func unpack(ctx context.Context, db *sql.DB, into *os.Root) (files int, err error) {
	var has bool
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlar'`).Scan(&has); err != nil || !has {
		return 0, err
	}
	if files, err = unpackKind(ctx, db, modeFile, into, unpackFile); err != nil {
		return files, err
	}
	// Links come after everything that could have been written through them, and what
	// folders forbid after that.
	if _, err := unpackKind(ctx, db, modeLink, into, unpackLink); err != nil {
		return files, err
	}
	if _, err := unpackKind(ctx, db, modeFolder, into, unpackFolder); err != nil {
		return files, err
	}
	_, err = db.ExecContext(ctx, `DROP TABLE sqlar`)
	return files, err
}

// row is a row of an archive.
type row struct {
	name       string
	mode, size int64
	data       []byte
}

func (r row) perm() fs.FileMode { return fs.FileMode(r.mode).Perm() }

// unpackKind writes what is of one kind, the deepest first.
func unpackKind(ctx context.Context, db *sql.DB, kind int64, into *os.Root, write func(*os.Root, row) error) (n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT name, mode, sz, data FROM sqlar
		WHERE CASE mode & $1 WHEN 0 THEN $2 ELSE mode & $1 END = $3 ORDER BY name DESC`, modeKind, modeFile, kind)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var r row
		if err := rows.Scan(&r.name, &r.mode, &r.size, &r.data); err != nil {
			return n, err
		}
		if err := write(into, r); err != nil {
			return n, fmt.Errorf("file %s of the backup: %w", printable(r.name), err)
		}
	}
	return n, errors.Join(rows.Err(), rows.Close())
}

func unpackFile(into *os.Root, r row) error {
	content, err := expanded(r.data, r.size)
	if err != nil {
		return err
	}
	if err := into.MkdirAll(path.Dir(r.name), 0o700); err != nil {
		return err
	}
	if err := into.WriteFile(r.name, content, 0o600); err != nil {
		return err
	}
	return into.Chmod(r.name, r.perm())
}

func unpackLink(into *os.Root, r row) error {
	if err := into.MkdirAll(path.Dir(r.name), 0o700); err != nil {
		return err
	}
	return into.Symlink(string(r.data), r.name)
}

func unpackFolder(into *os.Root, r row) error {
	if err := into.MkdirAll(r.name, 0o700); err != nil {
		return err
	}
	return into.Chmod(r.name, r.perm())
}
