"""An inspection by the client that openapi-python-client generates from /openapi/v2.json."""

import io
import os
import uuid

from generated.v2 import AuthenticatedClient
from generated.v2.api.attachments import v2_attachments_content, v2_attachments_create
from generated.v2.api.documents import v2_documents_create, v2_documents_get, v2_documents_update
from generated.v2.api.documents import v_2_documents_create_many as v2_documents_create_many
from generated.v2.api.organizations import v2_organizations_create
from generated.v2.api.workspaces import v2_workspaces_create
from generated.v2.models import (
    OrganizationBody,
    V2AttachmentsCreateBody,
    V2DocumentsCreateBody,
    V2DocumentsCreateManyBody,
    V2DocumentsUpdateBody,
    WorkspaceBody,
)
from generated.v2.types import File

base, mark = os.environ["EXCHANGE_URL"], str(uuid.uuid4())
client = AuthenticatedClient(base_url=base, token="demo-client-key", raise_on_unexpected_status=True)
vendor = AuthenticatedClient(base_url=base, token="demo-vendor-key", raise_on_unexpected_status=True)

ours = v2_organizations_create.sync(client=client, body=OrganizationBody(name=f"Kestrel Oil {mark}"))
theirs = v2_organizations_create.sync(client=vendor, body=OrganizationBody(name=f"Harbour Surveys {mark}"))
parties = {"client": {"id": str(ours.id)}, "vendor": {"id": str(theirs.id)}}
workspace = v2_workspaces_create.sync(client=client, body=WorkspaceBody.from_dict({"parties": parties})).id

job_body = {"refNumber": "KST-1", "status": "pending", "transports": [{"name": "MT Petrel"}]}
job_form = V2DocumentsCreateBody.from_dict({"type": "svc.inspection.job", "body": job_body})
job, again = (
    v2_documents_create.sync_detailed(workspace, client=client, body=job_form, idempotency_key=mark) for _ in range(2)
)
assert again.parsed.id == job.parsed.id and again.headers["Idempotency-Replayed"] == "true"
job = job.parsed

result = {"parent": str(job.id), "status": "preliminary", "setNumber": 1, "sample": {"location": "SHIP"}}
result |= {"test": {"name": "Density"}, "method": {"name": "D4052"}, "uom": {"name": "kg/m3"}, "result": "845.3"}
many = {"type": "svc.inspection.qualityResult", "body": [result, result]}
made = v2_documents_create_many.sync(workspace, client=vendor, body=V2DocumentsCreateManyBody.from_dict(many))
assert [one.parent_id for one in made] == [job.id, job.id], made

content = os.urandom(50_000)
file = File(payload=io.BytesIO(content), file_name="certificate.pdf", mime_type="application/pdf")
form = V2AttachmentsCreateBody(file=file, description="COA")
attachment = v2_attachments_create.sync(workspace, job.id, client=vendor, body=form)
assert attachment.body.format_ == "application/pdf", attachment
down = v2_attachments_content.sync_detailed(workspace, job.id, attachment.id, client=client)
assert down.content == content

patch = V2DocumentsUpdateBody.from_dict({"previous_version_id": str(job.version_id), "body": {"status": "complete"}})
patched = v2_documents_update.sync(workspace, job.id, client=vendor, body=patch)
assert patched.body["status"] == "complete"
stale = v2_documents_update.sync_detailed(workspace, job.id, client=vendor, body=patch)
assert stale.status_code == 409 and stale.parsed.code == "VERSION_CONFLICT", stale
tag = f'"{patched.version_id}"'
unchanged = v2_documents_get.sync_detailed(workspace, job.id, client=client, if_none_match=tag)
assert unchanged.status_code == 304
