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
)

// maxArchived is the largest file that a backup takes along, in bytes: each one is a
// value of one row, in memory while it is written.
const maxArchived = 512 << 20

// archiveTable is the table of SQLite archives (https://www.sqlite.org/sqlar.html), so
// that sqlite3 -A reads the files of a backup too: data is compressed by zlib, or as it
// is where that is no shorter.
const archiveTable = `CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)`

// archive puts files into a copy of a database. left names those that are too large.
// Links and devices are not taken along, nor is what is removed meanwhile.
func archive(ctx context.Context, database string, files Files) (left []string, err error) {
	db, err := private(database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, archiveTable); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, folder := range files.Folders {
		more, err := archiveFolder(ctx, tx, files.FS, folder)
		if err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
		left = append(left, more...)
	}
	return left, tx.Commit()
}

func archiveFolder(ctx context.Context, tx *sql.Tx, files fs.FS, folder string) (left []string, err error) {
	err = fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return skipMissing(err)
		}
		tooLarge, err := archiveFile(ctx, tx, files, name)
		if tooLarge {
			left = append(left, name)
		}
		return skipMissing(err)
	})
	return left, err
}

// skipMissing is an error, unless it is about a file that was removed meanwhile.
func skipMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func archiveFile(ctx context.Context, tx *sql.Tx, files fs.FS, name string) (tooLarge bool, err error) {
	f, err := files.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxArchived+1))
	if err != nil || len(content) > maxArchived {
		return err == nil, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sqlar (name, mode, mtime, sz, data) VALUES ($1, $2, $3, $4, $5)`,
		name, int64(info.Mode().Perm()), info.ModTime().Unix(), len(content), compressed(content))
	return false, err
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
// leave, and takes them out of the database.
func unpack(ctx context.Context, db *sql.DB, into *os.Root) (n int, err error) {
	var has bool
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlar'`).Scan(&has); err != nil || !has {
		return 0, err
	}
	rows, err := db.QueryContext(ctx, `SELECT name, mode, sz, data FROM sqlar ORDER BY name`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var name string
		var mode, size int64
		var data []byte
		if err := rows.Scan(&name, &mode, &size, &data); err != nil {
			return n, err
		}
		if err := unpackFile(into, name, fs.FileMode(mode).Perm(), data, size); err != nil {
			return n, fmt.Errorf("file %s of the backup: %w", name, err)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return n, err
	}
	_, err = db.ExecContext(ctx, `DROP TABLE sqlar`)
	return n, err
}

func unpackFile(into *os.Root, name string, mode fs.FileMode, data []byte, size int64) error {
	content, err := expanded(data, size)
	if err != nil {
		return err
	}
	if err := into.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	return into.WriteFile(name, content, mode)
}
