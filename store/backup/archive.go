package backup

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
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// archiveTable is the table of SQLite archives (https://www.sqlite.org/sqlar.html), so
// that sqlite3 -A reads the files of a backup too: data is compressed by zlib, or as it
// is where that is no shorter. The size of a symbolic link is -1, its data where it leads.
const archiveTable = `CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)`

// linkTable is beside it: further names of files that have several. Each content is there
// once, and restored they are names of one file again.
const linkTable = `CREATE TABLE sqlar_links(name TEXT PRIMARY KEY, target TEXT NOT NULL)`

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
	db, err := sqlite.Private(database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, archiveTable+";"+linkTable); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	a := archiver{made: made, names: map[fileID]string{}, add: func(ctx context.Context, e entry) (bool, error) { return addRow(ctx, tx, e) }}
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
	if e.same != "" {
		return addOne(ctx, tx, `INSERT OR IGNORE INTO sqlar_links (name, target) VALUES ($1, $2)`, e.name, e.same)
	}
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
	return addOne(ctx, tx, `INSERT OR IGNORE INTO sqlar (name, mode, mtime, sz, data) VALUES ($1, $2, $3, $4, $5)`,
		e.name, mode, e.info.ModTime().Unix(), size, data)
}

func addOne(ctx context.Context, tx *sql.Tx, statement string, values ...any) (added bool, err error) {
	res, err := tx.ExecContext(ctx, statement, values...)
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
	if has, err := hasTable(ctx, db, "sqlar"); err != nil || !has {
		return 0, err
	}
	if files, err = unpackKind(ctx, db, modeFile, into, unpackFile); err != nil {
		return files, err
	}
	linked, err := unpackNames(ctx, db, into)
	if files += linked; err != nil {
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
	_, err = db.ExecContext(ctx, `DROP TABLE sqlar; DROP TABLE IF EXISTS sqlar_links`)
	return files, err
}

// row is a row of an archive.
type row struct {
	name       string
	mode, size int64
	modified   int64 // seconds
	data       []byte
}

// unpackKind writes what is of one kind, the deepest first.
func unpackKind(ctx context.Context, db *sql.DB, kind int64, into *os.Root, write func(*os.Root, row) error) (n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT name, mode, sz, mtime, data FROM sqlar
		WHERE CASE mode & $1 WHEN 0 THEN $2 ELSE mode & $1 END = $3 ORDER BY name DESC`, modeKind, modeFile, kind)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var r row
		if err := rows.Scan(&r.name, &r.mode, &r.size, &r.modified, &r.data); err != nil {
			return n, err
		}
		if err := write(into, r); err != nil {
			return n, fmt.Errorf("file %s of the backup: %w", printable(r.name), err)
		}
	}
	return n, errors.Join(rows.Err(), rows.Close())
}

// unpackNames gives files their further names. Backups of earlier versions have none.
func unpackNames(ctx context.Context, db *sql.DB, into *os.Root) (n int, err error) {
	if has, err := hasTable(ctx, db, "sqlar_links"); err != nil || !has {
		return 0, err
	}
	rows, err := db.QueryContext(ctx, `SELECT name, target FROM sqlar_links WHERE name NOT IN (SELECT name FROM sqlar)`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var name, target string
		if err := rows.Scan(&name, &target); err != nil {
			return n, err
		}
		if err := errors.Join(into.MkdirAll(path.Dir(name), 0o700), into.Link(target, name)); err != nil {
			return n, fmt.Errorf("file %s of the backup: %w", printable(name), err)
		}
	}
	return n, errors.Join(rows.Err(), rows.Close())
}

func hasTable(ctx context.Context, db *sql.DB, name string) (has bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name = $1`, name).Scan(&has)
	return has, err
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
	return r.finish(into)
}

// finish gives what is restored its time and its mode.
func (r row) finish(into *os.Root) error {
	at := time.Unix(r.modified, 0)
	if err := into.Chtimes(r.name, at, at); err != nil {
		return err
	}
	return into.Chmod(r.name, fs.FileMode(r.mode).Perm())
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
	return r.finish(into)
}
