// An inspection by Go's net/http, with its defaults. What was seen is printed as one JSON object.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
)

var (
	base      = os.Getenv("EXCHANGE_URL")
	workspace = os.Getenv("WORKSPACE")
	mark      = os.Getenv("MARK")
	client    = &http.Client{}
	seen      = map[string]any{}
)

type headers map[string]string

var key = headers{"Authorization": "Bearer demo-client-key"}

func (own headers) with(more headers) headers {
	both := headers{}
	for _, some := range []headers{own, more} {
		for name, value := range some {
			both[name] = value
		}
	}
	return both
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

type answer struct {
	*http.Response
	text []byte
}

func (given answer) member(name string) any {
	members := map[string]any{}
	if err := json.Unmarshal(given.text, &members); err != nil {
		log.Fatalf("%s %s: %s", given.Request.Method, given.Request.URL, given.text)
	}
	return members[name]
}

func send(method, path string, head headers, body io.Reader) answer {
	request := must(http.NewRequest(method, base+path, body))
	for name, value := range head {
		request.Header.Set(name, value)
	}
	response := must(client.Do(request))
	defer response.Body.Close()
	return answer{response, must(io.ReadAll(response.Body))}
}

func sendJSON(method, path string, head headers, body []byte) answer {
	return send(method, path, head.with(headers{"Content-Type": "application/json"}), bytes.NewReader(body))
}

func body(name string) []byte {
	return must(os.ReadFile(os.Getenv("BODIES") + "/" + name + ".json"))
}

func sha256Of(path string) string {
	request := must(http.NewRequest("GET", base+path, nil))
	request.Header.Set("Authorization", key["Authorization"])
	response := must(client.Do(request))
	defer response.Body.Close()
	digest := sha256.New()
	must(io.Copy(digest, response.Body))
	return hex.EncodeToString(digest.Sum(nil))
}

// writeForm writes the file as a form, and gives the form's media type.
func writeForm(to *multipart.Writer) error {
	part := must(to.CreateFormFile("file", "certificate.bin"))
	source := must(os.Open(os.Getenv("FILE")))
	defer source.Close()
	if _, err := io.Copy(part, source); err != nil {
		return err
	}
	return to.Close()
}

// stream sends the file while it is read, so that its length is not known.
func stream(path string) answer {
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() { to.CloseWithError(writeForm(form)) }()
	head := key.with(headers{"Content-Type": form.FormDataContentType(), "Expect": "100-continue"})
	return send("POST", path, head, from)
}

func main() {
	client.Jar = must(cookiejar.New(nil))
	redirects := 0
	client.CheckRedirect = func(*http.Request, []*http.Request) error { redirects++; return nil }
	credentials := []byte(`{"username":"client@demo.example","password":"demo-password"}`)
	seen["signIn"] = sendJSON("POST", "/api/rest/1.0/session", nil, credentials).StatusCode
	seen["username"] = send("GET", "/api/rest/1.0/session", nil, nil).member("username")
	port := "/api/rest/1.0/ports/" + url.PathEscape(mark)
	seen["port"] = sendJSON("PUT", port, nil, body("port")).StatusCode
	seen["portName"] = send("GET", port, nil, nil).member("name")
	client.Jar = nil

	version := key.with(headers{"Accept-Version": "1.0"})
	seen["dataApiJob"] = sendJSON("POST", "/bridge/v1/data/jobs", version, body("data-api-job")).StatusCode
	jobs := "/workspaces/" + workspace + "/jobs"
	once := key.with(headers{"Idempotency-Key": mark})
	first, again := sendJSON("POST", jobs, once, body("job")), sendJSON("POST", jobs, once, body("job"))
	seen["legacyJob"] = first.StatusCode
	seen["again"] = again.StatusCode
	seen["sameId"] = first.member("id") == again.member("id")
	seen["replayed"] = again.Header.Get("Idempotency-Replayed")
	document := sendJSON("POST", "/v2/workspaces/"+workspace+"/documents", key, body("document"))
	seen["v2Job"] = document.StatusCode
	at := document.Header.Get("Location")
	read := send("GET", at, key, nil)
	seen["notes"] = read.member("body").(map[string]any)["notes"]
	seen["encoding"] = map[bool]string{true: "gzip"}[read.Uncompressed]

	list := send("GET", jobs+"/?refNumber=KST-2042", key, nil)
	seen["list"] = list.StatusCode
	seen["listed"] = bytes.Contains(list.text, []byte(`"KST-2042"`))

	tag := read.Header.Get("ETag")
	seen["notModified"] = send("GET", at, key.with(headers{"If-None-Match": tag}), nil).StatusCode
	match := key.with(headers{"If-Match": tag})
	patch := []byte(`{"body":{"status":"active"}}`)
	seen["changed"] = sendJSON("PATCH", at, match, patch).StatusCode
	seen["stale"] = sendJSON("PATCH", at, match, patch).StatusCode

	files := fmt.Sprintf("%s/%s/files", jobs, first.member("id"))
	var whole bytes.Buffer
	form := multipart.NewWriter(&whole)
	if err := writeForm(form); err != nil {
		log.Fatal(err)
	}
	uploaded := send("POST", files, key.with(headers{"Content-Type": form.FormDataContentType()}), &whole)
	seen["file"] = uploaded.StatusCode
	seen["fileSha256"] = sha256Of(fmt.Sprintf("%s/%s/content", files, uploaded.member("id")))
	streamed := stream(at + "/attachments")
	seen["attachment"] = streamed.StatusCode
	seen["attachmentSha256"] = sha256Of(streamed.Header.Get("Location") + "/content")
	seen["refused"] = stream("/v2/workspaces/" + workspace + "/documents/" + workspace + "/attachments").StatusCode
	seen["redirects"] = redirects
	fmt.Println(string(must(json.Marshal(seen))))
}
