"""Jobs in both shapes by the client that openapi-python-client generates from /openapi/bridge.json."""

import os

from generated.bridge import AuthenticatedClient
from generated.bridge.api.health import bridge_health_get
from generated.bridge.api.jobs import bridge_jobs_create, bridge_jobs_list, bridge_jobs_submit
from generated.bridge.models import DataApiJobSubmission, JobOfShapeBBody

base = os.environ["EXCHANGE_URL"]
client = AuthenticatedClient(base_url=base, token="demo-client-key", raise_on_unexpected_status=True)
assert bridge_health_get.sync(client=client).data_store == "healthy"
parties = {"client": {"xref": "KESTREL", "name": "Kestrel Oil"}, "vendor": {"name": "Harbour Surveys"}}
shape_b = parties | {"refNumber": "PY-3", "jobType": "Quality", "location": {"name": "Rotterdam"}}
made = bridge_jobs_create.sync(client=client, body=JobOfShapeBBody.from_dict(shape_b))
assert made.body.ref_number == "PY-3", made
shape_a = parties | {"jobType": "Quality", "status": "Nominated", "refNumber": "PY-4", "tripNumber": "T-7"}
shape_a |= {"region": "ARA", "activity": "STS", "sampleDate": "2026-05-04T08:30:00Z", "coordinator": "C", "operator": "O"}
submitted = bridge_jobs_submit.sync(client=client, body=DataApiJobSubmission.from_dict(shape_a))
listed = [one.id for one in bridge_jobs_list.sync(client=client, limit=100)]
# The programs of the other families make jobs meanwhile.
assert [one for one in listed if one in (submitted.id, made.id)] == [submitted.id, made.id], listed
