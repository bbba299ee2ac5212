// Run it with: WEBHOOK_SECRET=whsec_... PORT=3000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const mostBytes = 20_000 // no message is larger

var key []byte
var seen sync.Map // keep the ids in your database: a message can come twice

func isGenuine(header http.Header, body []byte) bool {
	timestamp, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(timestamp, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", header.Get("webhook-id"), timestamp)
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), expected) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBytes))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !isGenuine(request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	response.WriteHeader(http.StatusNoContent)
	id := request.Header.Get("webhook-id")
	if _, known := seen.LoadOrStore(id, true); known {
		return
	}
	var message struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &message); err == nil {
		fmt.Println(id, message.Type)
	}
}

func main() {
	secret, isSecret := strings.CutPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_")
	var err error
	key, err = base64.StdEncoding.DecodeString(secret)
	if !isSecret || err != nil || len(key) < 24 { // without a secret, anyone could sign
		log.Fatal("WEBHOOK_SECRET must be the secret of the webhook: whsec_ and the base64 of at least 24 bytes.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
