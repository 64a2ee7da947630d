// Package seal encrypts short secrets with a key of this installation that is kept in a
// file beside the database and not in it, so that neither the database nor its backups
// alone tell them.
//
// It imports nothing of this module.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// keyBytes is the length of a key of AES-256.
const keyBytes = 32

// Sealer seals with the key in a file, which is made where a secret is sealed for the
// first time. It is safe for concurrent use.
type Sealer struct {
	path string
	mu   sync.Mutex
}

// New makes a Sealer; nothing is read or written yet.
func New(path string) *Sealer { return &Sealer{path: path} }

// Seal encrypts a secret. It is opened only for the owner that is named here.
func (s *Sealer) Seal(secret, owner string) (string, error) {
	box, err := s.box(true)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(box.Seal(nil, nil, []byte(secret), []byte(owner))), nil
}

// Open decrypts what Seal has made for the same owner with the same key.
func (s *Sealer) Open(sealed, owner string) (string, error) {
	box, err := s.box(false)
	if err != nil {
		return "", err
	}
	secret, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		secret, err = box.Open(nil, nil, secret, []byte(owner))
	}
	if err != nil {
		return "", fmt.Errorf("open a sealed secret: %w", err)
	}
	return string(secret), nil
}

// box is made anew each time: secrets are sealed and opened when admins change them.
func (s *Sealer) box(mayMake bool) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, err := os.ReadFile(s.path)
	if mayMake && errors.Is(err, fs.ErrNotExist) {
		key, err = s.make()
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if len(key) != keyBytes {
		return nil, fmt.Errorf("key file %s has %d bytes, not %d", s.path, len(key), keyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// make writes a new key under another name first: a file with the name of the key is a whole one.
func (s *Sealer) make() ([]byte, error) {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // which never fails
	f, err := os.CreateTemp(filepath.Dir(s.path), ".key-")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(key)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return key, syncFolder(filepath.Dir(s.path))
}

// syncFolder makes a new name in a folder last: what is sealed is worth nothing without the key.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the one of the configuration
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
