"""Reference records by the client that openapi-python-client generates from /openapi/reference.json."""

import json
import os
import uuid

from generated.reference import AuthenticatedClient
from generated.reference.api.companies import reference_companies_get_contact, reference_companies_put
from generated.reference.api.ports import reference_ports_delete, reference_ports_put, reference_ports_search
from generated.reference.api.session import reference_session_create
from generated.reference.models import CompanyBody, PortBody, ReferenceSessionCreateBody

base, code = os.environ["EXCHANGE_URL"], f"NL RTM/{uuid.uuid4()}"
client = AuthenticatedClient(base_url=base, token="demo-client-key", raise_on_unexpected_status=True)
credentials = ReferenceSessionCreateBody(username="client@demo.example", password="demo-password")
assert reference_session_create.sync(client=client, body=credentials).username == "client@demo.example"
port = PortBody.from_dict({"name": "Rotterdam", "countryCode": "NL", "latitudeDeg": 51, "latitudeNs": "N"})
assert reference_ports_put.sync_detailed(code, client=client, body=port).status_code == 201
office = {"name": "Kestrel House", "contact": {"emails": [{"address": "office@kestrel.example"}]}}
company = {"name": "Kestrel Oil", "companyRoles": ["SHIPPER"], "headOffice": office}
reference_companies_put.sync(code, client=client, body=CompanyBody.from_dict(company))
assert reference_companies_get_contact.sync(code, client=client).head_office_name == "Kestrel House"
found = reference_ports_search.sync(client=client, client_codes=json.dumps([code]))
assert [one.name for one in found.results] == ["Rotterdam"], found
assert reference_ports_delete.sync(code, client=client).status_code == "INACTIVE"
