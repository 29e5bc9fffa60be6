package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Receiver handles events: bytes and signature in, answer out.
type Receiver struct {
	secret []byte
	store  *Store
}

type fields map[string]any

// refused is an error that the service is told about.
type refused struct {
	status  int
	message string
}

func (r refused) Error() string { return r.message }

func invalid(message string) error { return refused{http.StatusBadRequest, message} }

// Content is what a publish and an update have in common. Pointers tell null and absent from empty.
type Content struct {
	ID              *string  `json:"id"`
	Title           *string  `json:"title"`
	Slug            *string  `json:"slug"`
	ContentHTML     *string  `json:"content_html"`
	ContentMarkdown *string  `json:"content_markdown"`
	MetaDescription *string  `json:"meta_description"`
	FocusKeyword    *string  `json:"focus_keyword"`
	Image           *string  `json:"featured_image_url"`
	Tags            []string `json:"tags"`
	Author          *string  `json:"author"`
	PublishedAt     *string  `json:"published_at"`
	JSONLD          *string  `json:"json_ld"`
}

func (c Content) check() error {
	texts := []*string{c.ID, c.Title, c.Slug, c.ContentHTML, c.ContentMarkdown, c.MetaDescription,
		c.FocusKeyword, c.Author, c.PublishedAt, c.JSONLD}
	for _, text := range texts {
		if text == nil {
			return invalid("a field of the article is missing or null")
		}
	}
	// encoding/json puts RuneError in the place of half a surrogate pair: two ids could become one.
	if *c.ID == "" || strings.ContainsRune(*c.ID, utf8.RuneError) || c.Tags == nil {
		return invalid("id must be a nonempty text, tags an array")
	}
	return nil
}

// title is never empty: the service rejects a lookup with an empty field.
func (c Content) title() string {
	if *c.Title == "" {
		return "Untitled"
	}
	return *c.Title
}

func (r *Receiver) receive(raw []byte, signature string) (any, error) {
	mac := hmac.New(sha256.New, r.secret)
	mac.Write(raw)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(signature)) {
		return nil, refused{http.StatusUnauthorized, "the signature does not match"}
	}
	var envelope struct {
		Event           string
		ContractVersion int `json:"contract_version"`
		Data            json.RawMessage
	}
	if !utf8.Valid(raw) { // encoding/json would replace what is not
		return nil, invalid("the body is not UTF-8")
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return nil, invalid("the body is not an envelope: " + err.Error())
	}
	// A publish is the same in all versions.
	if envelope.Event != "article.published" && envelope.ContractVersion != 2 {
		return nil, invalid("contract_version must be 2")
	}
	switch envelope.Event {
	case "webhook.test":
		capabilities := []string{"article.published", "article.lookup", "article.updated"}
		return fields{"received": true, "contract_version": 3, "capabilities": capabilities}, nil
	case "article.published":
		return r.published(envelope.Data)
	case "article.lookup":
		return r.lookedUp(envelope.Data)
	case "article.updated":
		return r.updated(envelope.Data)
	}
	return nil, invalid("unsupported event")
}

func (r *Receiver) published(raw json.RawMessage) (any, error) {
	var data Content
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, invalid(err.Error())
	}
	if err := data.check(); err != nil {
		return nil, err
	}
	article, err := r.store.publish(data)
	if err != nil {
		return nil, err
	}
	return fields{"received": true, "id": article.ID, "url": r.store.urlOf(article)}, nil
}

func (r *Receiver) lookedUp(raw json.RawMessage) (any, error) {
	var data struct {
		TargetURL string `json:"target_url"`
	}
	if err := json.Unmarshal(raw, &data); err != nil || data.TargetURL == "" {
		return nil, invalid("target_url must be a nonempty text")
	}
	article, err := r.store.findByURL(data.TargetURL)
	if err != nil {
		return nil, err
	}
	target := fields{
		"id":           article.ID,
		"url":          r.store.urlOf(article),
		"revision_id":  article.Revision,
		"title":        article.title(),
		"content_html": article.ContentHTML,
	}
	return fields{"received": true, "contract_version": 3, "target": target}, nil
}

// update is the data of article.updated.
type update struct {
	Content
	TargetID       string `json:"target_id"`
	TargetURL      string `json:"target_url"`
	BaseRevisionID string `json:"base_revision_id"`
	RevisionID     string `json:"revision_id"`
}

func (r *Receiver) updated(raw json.RawMessage) (any, error) {
	var data update
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, invalid(err.Error())
	}
	if err := data.check(); err != nil {
		return nil, err
	}
	if data.TargetID == "" || data.TargetURL == "" || data.BaseRevisionID == "" {
		return nil, invalid("target_id, target_url and base_revision_id must be nonempty texts")
	}
	if *data.ID != data.RevisionID {
		return nil, invalid("id must be revision_id")
	}
	if err := r.store.update(data); err != nil {
		return nil, err
	}
	return fields{"received": true, "contract_version": 3, "revision_id": data.RevisionID}, nil
}

// encode leaves <, > and & as they are: written as \u003c an answer could exceed the service's limit.
func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // every value here is texts, numbers and their maps
	}
	return buffer.Bytes()
}
