// Run it with: WEBHOOK_SECRET=whsec_... PORT=3000 java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  private static final Pattern SECRET =
      Pattern.compile("whsec_((?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)");
  private static final int MOST_BYTES = 20_000; // no message is larger
  private static final Pattern TYPE = Pattern.compile("\"type\":\"([^\"]+)\""); // use a JSON library in earnest
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet(); // keep the ids in your database

  private static byte[] key;

  static boolean isGenuine(String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (id == null || signatures == null || timestamp == null || !timestamp.matches("\\d{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    for (String given : signatures.split(" ")) {
      if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return true;
    }
    return false;
  }

  static void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    if (body.length > MOST_BYTES) {
      exchange.sendResponseHeaders(413, -1);
      exchange.close();
      return;
    }
    var headers = exchange.getRequestHeaders();
    String id = headers.getFirst("webhook-id");
    boolean genuine = false;
    try {
      genuine = isGenuine(id, headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body);
    } catch (GeneralSecurityException error) {
      error.printStackTrace();
    }
    exchange.sendResponseHeaders(genuine ? 204 : 401, -1);
    exchange.close();
    if (!genuine || !SEEN.add(id)) return;
    Matcher type = TYPE.matcher(new String(body, StandardCharsets.UTF_8));
    System.out.println(id + " " + (type.find() ? type.group(1) : "?"));
  }

  public static void main(String[] args) throws IOException {
    Matcher secret = SECRET.matcher(System.getenv().getOrDefault("WEBHOOK_SECRET", ""));
    if (!secret.matches()) { // without one, anyone could sign
      System.err.println("WEBHOOK_SECRET must be the secret of the webhook: whsec_ and the base64 of at least 24 bytes.");
      System.exit(1);
    }
    key = Base64.getDecoder().decode(secret.group(1));
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", Receiver::receive);
    server.start();
    System.out.println("listening");
  }
}
