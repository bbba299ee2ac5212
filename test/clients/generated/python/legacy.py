"""An inspection by the client that openapi-python-client generates from /openapi/legacy.json."""

import io
import os
from uuid import UUID

from generated.legacy import AuthenticatedClient
from generated.legacy.api.files import legacy_files_content, legacy_files_create
from generated.legacy.api.jobs import legacy_jobs_create, legacy_jobs_list, legacy_jobs_update
from generated.legacy.api.quality_results import legacy_quality_create, legacy_quality_update
from generated.legacy.api.quantity_results import legacy_quantity_create
from generated.legacy.api.time_logs import legacy_timelog_create
from generated.legacy.models import (
    JobBody,
    JobPatch,
    LegacyFilesCreateBody,
    QualityResultBody,
    QualityResultPatch,
    QuantityResultBody,
    TimeLogEventBody,
)
from generated.legacy.types import File

base, workspace = os.environ["EXCHANGE_URL"], UUID(os.environ["WORKSPACE"])
client = AuthenticatedClient(base_url=base, token="demo-client-key", raise_on_unexpected_status=True)
vendor = AuthenticatedClient(base_url=base, token="demo-vendor-key", raise_on_unexpected_status=True)

job_body = {"refNumber": "PY-2", "status": "pending", "eta": "2026-05-04T06:00:00Z"}
job_body |= {"location": {"name": "Rotterdam"}, "cargo": {"quantity": 12500.5, "uom": {"name": "MT"}}}
job = legacy_jobs_create.sync(workspace, client=client, body=JobBody.from_dict(job_body)).id

quality = {"status": "preliminary", "setNumber": 1, "test": {"name": "Sulfur"}, "result": "962"}
made = legacy_quality_create.sync(workspace, job, client=vendor, body=QualityResultBody.from_dict(quality))
assert made.body.parent == job
direction = QuantityResultBody.from_dict({"direction": "source", "measurements": [{"name": "GSV", "value": 17384.2}]})
assert legacy_quantity_create.sync_detailed(workspace, job, client=vendor, body=direction).status_code == 201
event = {"category": "delay", "start": "2026-05-04T06:10:00Z", "end": "2026-05-04T09:40:00Z"}
legacy_timelog_create.sync(workspace, job, client=vendor, body=TimeLogEventBody.from_dict(event))

content = os.urandom(50_000)
file = File(payload=io.BytesIO(content), file_name="certificate.pdf", mime_type="application/pdf")
uploaded = legacy_files_create.sync(workspace, job, client=vendor, body=LegacyFilesCreateBody(file=file))
assert legacy_files_content.sync_detailed(workspace, job, uploaded.id, client=client).content == content

patch = QualityResultPatch.from_dict({"status": "confirmed", "notes": None})
assert legacy_quality_update.sync(workspace, job, made.id, client=vendor, body=patch).status == "confirmed"
legacy_jobs_update.sync(workspace, job, client=vendor, body=JobPatch.from_dict({"status": "complete"}))
found = legacy_jobs_list.sync(workspace, client=client, ref_number=["PY-2"], status=["complete", "cancelled"])
assert [one.id for one in found] == [job], found
refused = legacy_quantity_create.sync(workspace, job, client=vendor, body=direction)
assert refused.code == "DUPLICATE_DIRECTION", refused
