// A webhook receiver in Go, with the standard library alone.
//
//	SIGNING_SECRET=… SITE_URL=https://example.com go run .
//
// An article is a JSON file in articles/, named <slug>.<hash of its id>.json: the names are the index.
package main

import (
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const maxBytes = 1_000_000

func main() {
	receiver := Receiver{
		secret: []byte(required("SIGNING_SECRET")),
		store:  openStore(required("SITE_URL"), optional("ARTICLES_DIR", "articles")),
	}
	address := "localhost:" + optional("PORT", "8000")
	log.Printf("Listening on http://%s/webhook", address)
	server := http.Server{Addr: address, Handler: receiver.routes(), ReadTimeout: 30 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func (r *Receiver) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/webhook", r.serveWebhook)
	mux.HandleFunc("/articles/", r.servePage)
	return mux
}

func (r *Receiver) serveWebhook(w http.ResponseWriter, request *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBytes))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		err = refused{http.StatusRequestEntityTooLarge, "the body is over 1,000,000 bytes"}
	}
	var answer any
	if err == nil {
		answer, err = r.receive(raw, request.Header.Get("X-Service-Signature"))
	}
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		message := "internal error"
		if known := (refused{}); errors.As(err, &known) {
			status, message = known.status, known.message
		} else {
			log.Print(err)
		}
		answer = fields{"error": message}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(answer))
}

func (r *Receiver) servePage(w http.ResponseWriter, request *http.Request) {
	article, err := r.store.findByURL(r.store.siteURL + request.URL.RequestURI())
	if err != nil {
		http.Error(w, "Nothing here", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// JSONLD and ContentHTML are HTML, and stay as they came; everything else is text.
	image := ""
	if article.Image != nil {
		image = fmt.Sprintf(`<img src="%s" alt="">`, html.EscapeString(*article.Image))
	}
	title := html.EscapeString(article.title())
	fmt.Fprintf(w, `<!doctype html>
<html><head><meta charset="utf-8"><title>%s</title>
<meta name="description" content="%s">
%s
</head><body><h1>%s</h1>
%s
%s
</body></html>`, title, html.EscapeString(*article.MetaDescription), *article.JSONLD, title, image, *article.ContentHTML)
}

func required(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s is not set", name)
	}
	return value
}

func optional(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
