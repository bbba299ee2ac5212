/** Shows the health report as a sentence. */
const place = document.getElementById('health');

try {
  const answer = await fetch(place.dataset.address, { headers: { Accept: 'application/json' } });
  const report = await answer.json();
  const ill = Object.entries(report).filter(([, state]) => state !== 'healthy');
  place.dataset.state = ill.length === 0 ? 'up' : 'down';
  place.textContent =
    ill.length === 0
      ? 'All parts are healthy: transport, metadata store, data store.'
      : `Not everything is healthy: ${ill.map(([part, state]) => `${part} is ${state}`).join(', ')}.`;
} catch {
  place.dataset.state = 'down';
  place.textContent = 'The service does not respond.';
}
