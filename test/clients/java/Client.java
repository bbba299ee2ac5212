import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** An inspection by java.net.http, with its defaults. What was seen is printed as one JSON object. */
class Client {
  static final String BASE = System.getenv("EXCHANGE_URL");
  static final String WORKSPACE = System.getenv("WORKSPACE");
  static final String MARK = System.getenv("MARK");
  static final Path FILE = Path.of(System.getenv("FILE"));
  static final HttpClient CLIENT = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
  static final Map<String, Object> SEEN = new LinkedHashMap<>();
  static final String HEAD =
      "--sea\r\nContent-Disposition: form-data; name=\"file\"; filename=\"certificate.bin\"\r\n\r\n";
  static final String TAIL = "\r\n--sea--\r\n";

  public static void main(String[] args) throws Exception {
    var cookies = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    var session = to("/api/rest/1.0/session");
    var credentials = BodyPublishers.ofString("{\"username\":\"client@demo.example\",\"password\":\"demo-password\"}");
    SEEN.put("signIn", send(cookies, json(session.copy()).POST(credentials)).statusCode());
    SEEN.put("username", member("username", send(cookies, session.copy())));
    var port = to("/api/rest/1.0/ports/" + URLEncoder.encode(MARK, StandardCharsets.UTF_8).replace("+", "%20"));
    SEEN.put("port", send(cookies, json(port.copy()).PUT(body("port"))).statusCode());
    SEEN.put("portName", member("name", send(cookies, port.copy())));

    var dataApi = json(known("/bridge/v1/data/jobs")).header("Accept-Version", "1.0");
    SEEN.put("dataApiJob", send(dataApi.POST(body("data-api-job"))).statusCode());
    var jobs = "/workspaces/" + WORKSPACE + "/jobs";
    var once = json(known(jobs)).header("Idempotency-Key", MARK).POST(body("job"));
    var first = send(once.copy());
    var again = send(once.copy());
    SEEN.put("legacyJob", first.statusCode());
    SEEN.put("again", again.statusCode());
    SEEN.put("sameId", member("id", first).equals(member("id", again)));
    SEEN.put("replayed", again.headers().firstValue("Idempotency-Replayed").orElse(""));
    var document = send(json(known("/v2/workspaces/" + WORKSPACE + "/documents")).POST(body("document")));
    SEEN.put("v2Job", document.statusCode());
    var at = document.headers().firstValue("Location").orElseThrow();
    var read = send(known(at));
    SEEN.put("notes", member("notes", read));
    SEEN.put("encoding", read.headers().firstValue("Content-Encoding").orElse(""));

    var list = send(known(jobs + "/?refNumber=KST-2042"));
    SEEN.put("list", list.statusCode());
    SEEN.put("listed", list.body().contains("KST-2042"));
    SEEN.put("redirects", list.previousResponse().isPresent() ? 1 : 0);

    var tag = read.headers().firstValue("ETag").orElseThrow();
    SEEN.put("notModified", send(known(at).header("If-None-Match", tag)).statusCode());
    var patch = json(known(at)).header("If-Match", tag);
    patch.method("PATCH", BodyPublishers.ofString("{\"body\":{\"status\":\"active\"}}"));
    SEEN.put("changed", send(patch.copy()).statusCode());
    SEEN.put("stale", send(patch.copy()).statusCode());

    var files = jobs + "/" + member("id", first) + "/files";
    var whole = BodyPublishers.concat(
        BodyPublishers.ofString(HEAD), BodyPublishers.ofFile(FILE), BodyPublishers.ofString(TAIL));
    var uploaded = send(form(known(files)).POST(whole));
    SEEN.put("file", uploaded.statusCode());
    SEEN.put("fileSha256", sha256Of(files + "/" + member("id", uploaded) + "/content"));
    var streamed = send(form(known(at + "/attachments")).expectContinue(true).POST(stream()));
    SEEN.put("attachment", streamed.statusCode());
    SEEN.put("attachmentSha256", sha256Of(streamed.headers().firstValue("Location").orElseThrow() + "/content"));
    var nowhere = "/v2/workspaces/" + WORKSPACE + "/documents/" + WORKSPACE + "/attachments";
    SEEN.put("refused", send(form(known(nowhere)).expectContinue(true).POST(stream())).statusCode());

    System.out.println(SEEN.entrySet().stream().map(Client::written).collect(Collectors.joining(",", "{", "}")));
  }

  static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(BASE + path));
  }

  static HttpRequest.Builder known(String path) {
    return to(path).header("Authorization", "Bearer demo-client-key");
  }

  static HttpRequest.Builder json(HttpRequest.Builder request) {
    return request.header("Content-Type", "application/json");
  }

  static HttpRequest.Builder form(HttpRequest.Builder request) {
    return request.header("Content-Type", "multipart/form-data; boundary=sea");
  }

  static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return send(CLIENT, request);
  }

  static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  static BodyPublisher body(String name) throws IOException {
    return BodyPublishers.ofFile(Path.of(System.getenv("BODIES"), name + ".json"));
  }

  /** The file while it is read, so that its length is not known. */
  static BodyPublisher stream() {
    return BodyPublishers.ofInputStream(() -> {
      try {
        var parts = List.of(bytes(HEAD), Files.newInputStream(FILE), bytes(TAIL));
        return new SequenceInputStream(Collections.enumeration(parts));
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    });
  }

  static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  static String sha256Of(String path) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256");
    var answer = CLIENT.send(known(path).build(), BodyHandlers.ofInputStream());
    try (var content = new DigestInputStream(answer.body(), digest)) {
      content.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static String member(String name, HttpResponse<String> answer) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(answer.body());
    if (!found.find()) throw new IllegalStateException(answer + " has no " + name + ": " + answer.body());
    return found.group(1);
  }

  static String written(Map.Entry<String, Object> fact) {
    var value = fact.getValue() instanceof String text ? "\"" + text + "\"" : fact.getValue();
    return "\"" + fact.getKey() + "\":" + value;
  }
}
