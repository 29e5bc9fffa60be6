package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Article is what a file holds. It keeps its ID and Slug, whatever an update says.
type Article struct {
	Revision string `json:"revision"`
	Content
}

// Store keeps articles in a folder. Reading needs no lock: files are replaced whole.
type Store struct {
	siteURL, folder string
	writing         sync.Mutex
}

var errNotFound = refused{http.StatusNotFound, "no article at this URL"}

func openStore(siteURL, folder string) *Store {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatal(err)
	}
	return &Store{siteURL: strings.TrimSuffix(siteURL, "/"), folder: folder}
}

func (s *Store) publish(data Content) (*Article, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if article, err := s.first("*." + hashOf(*data.ID) + ".json"); err != errNotFound {
		return article, err // a redelivery
	}
	slug, err := s.freeSlug(*data.Slug)
	if err != nil {
		return nil, err
	}
	data.Slug = &slug
	article := &Article{*data.ID, data}
	return article, s.save(article)
}

func (s *Store) update(data update) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	article, err := s.findByURL(data.TargetURL)
	switch {
	case err != nil:
		return err
	case *article.ID != data.TargetID:
		return errNotFound
	case article.Revision == data.RevisionID:
		return nil // a retry
	case article.Revision != data.BaseRevisionID:
		return refused{http.StatusConflict, "Article revision conflict"}
	}
	data.Content.ID, data.Slug, data.PublishedAt = article.ID, article.Slug, article.PublishedAt
	if data.Image == nil {
		data.Image = article.Image
	}
	return s.save(&Article{data.RevisionID, data.Content})
}

func (s *Store) urlOf(article *Article) string {
	return s.siteURL + "/articles/" + *article.Slug + "/"
}

var (
	urlParts  = regexp.MustCompile(`^(?i:(https?))://([^/?#]+)([^?#]*)(\?[^#]*)?`)
	isSlug    = regexp.MustCompile(`^[a-z0-9-]+$`)
	notInSlug = regexp.MustCompile(`[^a-z0-9]+`)
	portOf    = map[string]string{"http": ":80", "https": ":443"}
)

// canonical drops the fragment and one slash at the end of the path. Path and query stay as they are written.
func canonical(url string) string {
	parts := urlParts.FindStringSubmatch(url)
	if parts == nil {
		return ""
	}
	scheme, host := strings.ToLower(parts[1]), strings.ToLower(parts[2])
	return scheme + "://" + strings.TrimSuffix(host, portOf[scheme]) + strings.TrimSuffix(parts[3], "/") + parts[4]
}

func (s *Store) findByURL(url string) (*Article, error) {
	start := canonical(s.siteURL) + "/articles/"
	slug := strings.TrimPrefix(canonical(url), start)
	if canonical(url) != start+slug || !isSlug.MatchString(slug) {
		return nil, errNotFound
	}
	return s.first(slug + ".*.json")
}

func (s *Store) freeSlug(suggested string) (string, error) {
	safe := notInSlug.ReplaceAllString(strings.ToLower(suggested), "-")
	if len(safe) > 80 {
		safe = safe[:80]
	}
	if safe = strings.Trim(safe, "-"); safe == "" {
		safe = "article"
	}
	slug := safe
	for number := 2; ; number++ {
		if _, err := s.first(slug + ".*.json"); err == errNotFound {
			return slug, nil
		} else if err != nil {
			return "", err
		}
		slug = fmt.Sprintf("%s-%d", safe, number)
	}
}

func hashOf(id string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(id)))
}

func (s *Store) first(pattern string) (*Article, error) {
	paths, err := filepath.Glob(filepath.Join(s.folder, pattern))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errNotFound
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return nil, err
	}
	article := new(Article)
	return article, json.Unmarshal(text, article)
}

// save returns when the article is on the disk: the file is synced and renamed, and the folder is synced.
func (s *Store) save(article *Article) error {
	temporary := filepath.Join(s.folder, ".new") // the lock sees to it that there is only one
	if err := writeSynced(temporary, encode(article)); err != nil {
		return err
	}
	name := *article.Slug + "." + hashOf(*article.ID) + ".json"
	if err := os.Rename(temporary, filepath.Join(s.folder, name)); err != nil {
		return err
	}
	folder, err := os.Open(s.folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func writeSynced(path string, text []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Sync()
}
